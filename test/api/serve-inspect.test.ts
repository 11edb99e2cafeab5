import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { readProjectConfig } from '../../src/agent-server/project/project-config.ts';
import { startProjectHosts } from '../../src/bin/project-hosts.ts';
import { createLog } from '../../src/platform/log.ts';
import { BUILDER, ESM, project } from '../support/agent-project.ts';

async function aPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a debugger can attach to the only process that runs graphs', async () => {
  const graph = `${BUILDER} export const graph = says('x').compile();`;
  const folder = project({ ...ESM, 'agent.ts': graph, 'graph.json': { graphs: { a: './agent.ts:graph' } } });
  const port = await aPort();
  const settings = {
    SLIPWAY_HOSTS: 2,
    SLIPWAY_HOST_BLOCKED_SECONDS: 60,
    SLIPWAY_LOG_LEVEL: 'silent' as const,
  };
  const { hosts } = await startProjectHosts({
    file: readProjectConfig(folder),
    settings,
    env: { PATH: process.env['PATH']! },
    log: createLog('silent'),
    inspect: `127.0.0.1:${port}`,
  });
  try {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { title: string }[];
    expect(targets).toEqual([expect.objectContaining({ title: expect.stringMatching(/graph-host\.js$/) })]);
  } finally {
    await hosts.stop();
  }
});
