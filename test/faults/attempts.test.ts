import { expect, test } from '@jest/globals';
import { clientOf, useCluster } from './cluster.ts';
import { until } from '../support/until.ts';

const cluster = useCluster();

test('a database lost while a run is settled repeats its last supersteps, and settles it once', async () => {
  const server = await cluster.start({ role: 'all' });
  const client = clientOf(server);
  // The count survives the rollback of its transaction.
  await cluster.db.query(`create sequence settlements;
    create function lose() returns trigger language plpgsql as $$ begin
      if new.settlement is not null and nextval('settlements') = 1 then
        raise exception 'gone' using errcode = '57P01';
      end if;
      return new; end $$;
    create trigger lose before update on run for each row execute function lose()`);
  const { thread_id } = await client.threads.create();
  const stream = client.runs.stream(thread_id, 'steps', { input: { steps: 3 }, streamMode: 'updates' });
  const events = [];
  for await (const { event } of stream) events.push(event);
  expect(events.filter((event) => event === 'updates').length).toBeGreaterThanOrEqual(3);
  const { rows } = await cluster.db.query('select attempt, status from run where thread_id = $1', [
    thread_id,
  ]);
  expect(rows).toEqual([{ attempt: 2, status: 'success' }]);
  const state = await client.threads.getState(thread_id);
  expect(state.values).toMatchObject({ done: [1, 2, 3] });
  const history = await client.threads.getHistory(thread_id, { limit: 20 });
  expect(history.map(({ metadata }) => metadata?.step)).toEqual([3, 2, 1, 0, -1]);
  await server.end('SIGTERM');
});

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
