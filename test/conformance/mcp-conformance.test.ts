import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { useApi } from '../support/use-api.ts';

const suite = fileURLToPath(
  new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', packageRoot),
);
const api = useApi();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-mcp-'));
  // The tools that the suite calls, by their names there.
  await api.post('/assistants', { graph_id: 'echo', name: 'test_simple_text' });
  await api.post('/assistants', { graph_id: 'boom', name: 'test_error_handling' });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// docs/compatibility.md explains why the others do not apply.
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'dns-rebinding-protection',
];

test.each(SCENARIOS)('%s', async (scenario) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [suite, 'server', '--url', `${api.url}/mcp`, '--scenario', scenario],
    { cwd: folder },
  );
  expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
});
