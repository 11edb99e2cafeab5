import { expect, test } from '@jest/globals';
import { clientOf, useCluster } from './cluster.ts';
import { until } from '../support/until.ts';

const cluster = useCluster();

test('a run whose workers keep dying ends as an error after its last attempt', async () => {
  const env = { SLIPWAY_RUN_ATTEMPTS: '2', SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS: '1' };
  const api = await cluster.start({ role: 'api', env });
  const client = clientOf(api);
  const { thread_id } = await client.threads.create();
  const { run_id } = await client.runs.create(thread_id, 'sleepy', { input: { ms: 600_000 } });
  const claims = async () =>
    (await cluster.db.query<{ epoch: number }>('select epoch from run where run_id = $1', [run_id])).rows[0]!
      .epoch;
  for (const attempt of [1, 2]) {
    const worker = await cluster.start({ role: 'worker', env });
    await until(`attempt ${attempt} is under way`, async () => (await claims()) === attempt);
    await worker.end('SIGKILL');
  }
  await cluster.start({ role: 'worker', env });
  expect(await client.runs.join(thread_id, run_id)).toEqual({
    __error__: { error: 'RetryBudgetSpent', message: 'The run did not end in 2 attempts' },
  });
  expect((await client.runs.get(thread_id, run_id)).status).toBe('error');
});
