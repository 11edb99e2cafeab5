import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const run = promisify(execFile);
const made: URL[] = [];

afterEach(async () => {
  await Promise.all(made.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** The linter's output for a file with this code in this folder of the project. */
async function lint(folder: string, code: string): Promise<string> {
  const place = new URL(`${folder}/import-rules-probe/`, packageRoot);
  made.push(place);
  await mkdir(place, { recursive: true });
  const file = new URL('probe.ts', place);
  await writeFile(file, code);
  const oxlint = fileURLToPath(new URL('node_modules/.bin/oxlint', packageRoot));
  const { stdout } = await run(oxlint, [fileURLToPath(file)], { cwd: fileURLToPath(packageRoot) }).catch(
    (failure: { stdout: string }) => failure,
  );
  return stdout;
}

test.each([
  ['workflows', `import { readFile } from 'node:fs/promises';\nexport const probe = readFile;\n`],
  ['workflows', `import { Client } from '@temporalio/client';\nexport const probe = Client;\n`],
  [
    'src/platform',
    `import { threadChannel } from '../../agent-server/events/event-frame.ts';\nexport const probe = threadChannel;\n`,
  ],
  ['src/agent-server', `import { serve } from '../../bin/serve.ts';\nexport const probe = serve;\n`],
  [
    'src/agent-server',
    `import { thread } from '../../../workflows/runs/thread.ts';\nexport const probe = thread;\n`,
  ],
  [
    'src/agent-server',
    `import type { thread } from '../../../workflows/runs/thread.ts';\nexport type Probe = typeof thread;\n`,
  ],
  [
    'workflows',
    `import type { RevisionWork } from '../../activities/deployments/revision-work.ts';\nexport type Probe = RevisionWork;\n`,
  ],
  [
    'src/agent-server',
    `import { StateGraph } from '@langchain/langgraph';\nexport const probe = StateGraph;\n`,
  ],
  [
    'src/deploy-client',
    `import { isTerminal } from '../../control-plane/revisions/revision-lifecycle.ts';\nexport const probe = isTerminal;\n`,
  ],
])('an import that %s must not have is refused', async (folder, code) => {
  expect(await lint(folder, code)).toContain('no-restricted-imports');
});

test('domains import the types of workflow contracts', async () => {
  const code = `import type { ThreadInput } from '../../../workflows/runs/contracts.ts';\nexport type Probe = ThreadInput;\n`;
  expect(await lint('src/agent-server', code)).not.toContain('no-restricted-imports');
});
