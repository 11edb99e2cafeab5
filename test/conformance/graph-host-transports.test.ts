import { describe, expect, test } from '@jest/globals';
import { MemoryServer } from '../support/memory-server.ts';
import { overAllTransports, startLoaded } from './graph-host/hosts.ts';
import { runOn } from './graph-host/run-on-host.ts';

// SLIPWAY_TEST_ALL runs all other tests over every transport too.
describe.each(overAllTransports)('a graph host in $language over $transport', (kind) => {
  test('runs a graph, and exits when its connection ends', async () => {
    const server = new MemoryServer();
    const host = await startLoaded(kind, server, kind.graphs, ['echo']);
    const { answer, thread_id } = await runOn(host, { graph_id: 'echo', input: { text: 'hi' } });
    expect(answer.values).toMatchObject({ echo: 'hi' });
    expect(server.latest(thread_id)).toBeDefined();
    expect(await host.close()).toBe('exit code 0');
  });
});
