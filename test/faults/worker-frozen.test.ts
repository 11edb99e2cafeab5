import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { clientOf, readTrace, useCluster } from './cluster.ts';
import { useHolds } from '../support/holds.ts';
import { untilKept } from './went-on.ts';

const cluster = useCluster();
const holds = useHolds();

test('a worker frozen for 20 s does not affect its run, which continued elsewhere', async () => {
  const api = await cluster.start({ role: 'api' });
  const frozen = await cluster.start({ role: 'worker' });
  const client = clientOf(api);
  const { thread_id } = await client.threads.create();
  const file = join(cluster.folder, 'frozen');
  const { hold, release } = holds(3);
  const input = { steps: 20, delay_ms: 200, file, hold };
  const run = await client.runs.create(thread_id, 'steps', { input });
  await untilKept(client, thread_id, 2);

  frozen.child.kill('SIGSTOP');
  release(3);
  const other = await cluster.start({ role: 'worker' });
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  const values = (await client.runs.join(thread_id, run.run_id)) as { done: number[] };
  expect(values.done).toHaveLength(20);
  const snapshot = async () => ({
    run: await client.runs.get(thread_id, run.run_id),
    state: await client.threads.getState(thread_id),
    history: (await client.threads.getHistory(thread_id, { limit: 100 })).length,
  });
  const before = await snapshot();

  frozen.child.kill('SIGCONT');
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(await snapshot()).toEqual(before);
  const trace = await readTrace(file);
  const takenOver = trace.filter(({ pid }) => pid === other.child.pid);
  expect(takenOver.map(({ what }) => what)).toEqual([...Array(18).keys()].map((n) => `step ${n + 3}`));

  // It can work again.
  await other.end('SIGKILL');
  expect(await client.runs.wait(thread_id, 'echo', { input: { text: 'back' } })).toMatchObject({
    echo: 'back',
  });
});
