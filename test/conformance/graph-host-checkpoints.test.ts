import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MemoryServer } from '../support/memory-server.ts';
import { kinds, type LoadedHost, startLoaded } from './graph-host/hosts.ts';
import { configOf, type RunParams, runOn } from './graph-host/run-on-host.ts';

describe.each(kinds)('checkpoints of a graph host in $language over $transport', (kind) => {
  const server = new MemoryServer();
  let host: LoadedHost;

  beforeAll(async () => {
    host = await startLoaded(kind, server);
  });
  afterAll(async () => void (await host?.close()));

  const run = (params: RunParams) => runOn(host, params);
  const call = (method: string, params: object) => host.channel.call(method, params);
  const store = server.handlers['checkpoint.write'] as (params: object) => unknown;

  test('asks for no checkpoint when the run brings the latest one', async () => {
    server.take('checkpoint.find');
    const { thread_id } = await run({ graph_id: 'functional', input: { value: 2 }, checkpoint: null });
    expect(server.take('checkpoint.find')).toBe(0);
    const checkpoint = server.latest(thread_id);
    const second = await run({ graph_id: 'functional', thread_id, input: { value: 3 }, checkpoint });
    expect(second.answer.values).toEqual({ product: 6, runs: 2 });
    expect(server.take('checkpoint.find')).toBe(0);
    await run({ graph_id: 'functional', thread_id, input: { value: 4 } });
    expect(server.take('checkpoint.find')).toBe(1);
  });

  test('leaves its last units to a server that takes them', async () => {
    const taken = await run({ graph_id: 'steps', input: { steps: 3 }, takes_units: true });
    const { units = [], values } = taken.answer;
    expect(values).toMatchObject({ done: [1, 2, 3] });
    expect(units.length).toBeGreaterThan(0);
    await store({ units });
    const rows = [...server.rows.values()].filter(({ thread_id }) => thread_id === taken.thread_id);
    expect(rows.map((row) => (JSON.parse(row.metadata) as { step: number }).step)).toEqual([-1, 0, 1, 2, 3]);
    const config = configOf(taken.thread_id);
    const summary = await call('state.summary', { graph_id: 'steps', config });
    expect(summary).toMatchObject({ values: { done: [1, 2, 3] }, waiting: false });
  });

  test('leaves no units when each step is to be stored, or when there are many', async () => {
    const steps = { graph_id: 'steps', takes_units: true };
    const sync = await run({ ...steps, input: { steps: 3 }, durability: 'sync' });
    const many = await run({ ...steps, input: { steps: 300 }, config: { recursion_limit: 400 } });
    for (const [{ answer, thread_id }, count] of [[sync, 5] as const, [many, 302] as const]) {
      const stored = [...server.rows.values()].filter((row) => row.thread_id === thread_id).length;
      const left = (answer.units ?? []).filter(({ checkpoint }) => checkpoint).length;
      expect(stored + left).toBe(count);
      expect(left).toBeLessThan(200);
    }
    expect(sync.answer.units).toBeUndefined();
  });

  test('has stored everything when a run fails', async () => {
    const thread_id = randomUUID();
    const failing = { graph_id: 'steps', thread_id, input: { steps: 9 }, takes_units: true };
    await expect(run({ ...failing, config: { recursion_limit: 3 } })).rejects.toThrow();
    expect([...server.rows.values()].filter((row) => row.thread_id === thread_id)).toHaveLength(5);
  });
});
