import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { clientOf, readTrace, useCluster } from './cluster.ts';
import { useHolds } from '../support/holds.ts';
import { until } from '../support/until.ts';
import { expectWentOn, readCut } from './went-on.ts';

const cluster = useCluster();
const holds = useHolds();

test('a stopping worker lets its run finish within the grace period', async () => {
  const api = await cluster.start({ role: 'api' });
  const worker = await cluster.start({ role: 'worker', env: { SLIPWAY_GRACE_SECONDS: '90' } });
  const client = clientOf(api);
  const { thread_id } = await client.threads.create();
  const file = join(cluster.folder, 'grace');
  const run = await client.runs.create(thread_id, 'steps', { input: { steps: 4, delay_ms: 400, file } });
  await until('a step is done', async () => (await readTrace(file)).length >= 1);
  expect(await worker.end('SIGTERM')).toBe(0);
  expect((await client.runs.get(thread_id, run.run_id)).status).toBe('success');
  expect(await readTrace(file)).toHaveLength(4);
});

test.each([
  ['alone', []],
  ['behind others of its turn', [1, 2]],
])(
  'a run longer than the grace period, %s, is handed back, costs no attempt and goes on elsewhere',
  async (name, before) => {
    const client = clientOf(await cluster.start({ role: 'api' }));
    const { thread_id } = await client.threads.create();
    const file = join(cluster.folder, name);
    for (const steps of before)
      await client.runs.create(thread_id, 'steps', { input: { steps, delay_ms: 0, file } });
    const { hold, release } = holds(before.length + 2);
    const input = { steps: 10, delay_ms: 400, file, hold };
    const run = await client.runs.create(thread_id, 'steps', { input });
    const worker = await cluster.start({ role: 'worker', env: { SLIPWAY_GRACE_SECONDS: '1' } });
    await until('a step is done', async () => (await readTrace(file)).length > before.length);
    expect(await worker.end('SIGTERM')).toBe(0);
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe('pending');
    const cut = await readCut(client, thread_id, file);
    expect(cut.ended).toHaveLength(before.length + 1);
    release(before.length + 2);

    const other = await cluster.start({ role: 'worker' });
    expect(((await client.runs.join(thread_id, run.run_id)) as { done: number[] }).done).toHaveLength(10);
    await expectWentOn(cut, 10);
    const { rows } = await cluster.db.query('select attempt from run where run_id = $1', [run.run_id]);
    expect(rows).toEqual([{ attempt: 1 }]);
    await other.end('SIGKILL');
  },
);
