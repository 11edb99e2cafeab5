import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { BUILDER, ESM, project } from '../support/agent-project.ts';
import { startAgentServer } from '../support/agent-server.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
const GRAPH = `${BUILDER} export const graph = says('x').compile();`;
const FILES = { ...ESM, 'agent.ts': GRAPH, 'graph.json': { graphs: { a: './agent.ts:graph' } } };

test('serve --watch restarts after each save by rename', async () => {
  const folder = project(FILES);
  const server = await startAgentServer({ databaseUrl: database.url, config: folder, watch: true });
  const starts = () => server.logs().split('agent server ready at').length - 1;
  const save = () => {
    writeFileSync(join(folder, '.save'), `${GRAPH}\n// ${starts()}`);
    renameSync(join(folder, '.save'), join(folder, 'agent.ts'));
  };
  try {
    for (const saves of [1, 2]) {
      save();
      await until(`it starts again after save ${saves}`, () => starts() === saves + 1);
    }
  } finally {
    await server.end();
  }
});

test('a port in use prints one line before anything starts', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const start = startAgentServer({ databaseUrl: database.url, config: project(FILES), port });
  await expect(start).rejects.toThrow(
    new RegExp(
      `^slipway serve ended with 1:\\nslipway: port ${port} is in use; choose another with --port\\n$`,
    ),
  );
  taken.close();
});
