import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Client as Temporal, Connection } from '@temporalio/client';
import { until } from '../support/until.ts';
import { clientOf, readTrace, useCluster } from './cluster.ts';
import { startPace } from './pace.ts';

const cluster = useCluster();

// Long enough to interrupt a run within its workflow task.
const LOCAL = { SLIPWAY_LOCAL_RUN_MS: '2000' };
const SHORT = { SLIPWAY_LOCAL_RUN_MS: '300' };

const attemptsOf = async (threadId: string) => {
  const { rows } = await cluster.db.query<{ status: string; attempt: number }>(
    'select status, attempt from run where thread_id = $1 order by created_at',
    [threadId],
  );
  return rows.map(({ status, attempt }) => `${status} ${attempt}`);
};
const begun = (file: string, times = 1) =>
  until(`it began ${times} times`, async () => (await readTrace(file)).length >= times);

test('a worker killed while a run executes in a workflow task: another begins it within 6 s', async () => {
  const client = clientOf(await cluster.start({ role: 'api', env: LOCAL }));
  const workers = [
    await cluster.start({ role: 'worker', env: LOCAL }),
    await cluster.start({ role: 'worker', env: LOCAL }),
  ];
  const pace = await startPace(cluster.db);
  const { thread_id } = await client.threads.create();
  const file = join(cluster.folder, 'killed');
  const { run_id } = await client.runs.create(thread_id, 'sleepy', { input: { ms: 1_500, file } });
  await begun(file);
  const [first] = await readTrace(file);
  const killedAt = Date.now();
  await workers.find(({ child }) => child.pid === first!.pid)?.end('SIGKILL');
  await client.runs.join(thread_id, run_id);
  const again = (await readTrace(file)).filter(({ what }) => what === 'started')[1]!;
  await pace.stop();
  expect(pace.between(killedAt, again.at)).toBeLessThan(6_000);
  expect(await attemptsOf(thread_id)).toEqual(['success 2']);
  await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
});

test('runs that outlast their workflow task continue in the process that began them', async () => {
  const client = clientOf(await cluster.start({ role: 'api', env: SHORT }));
  const workers = [
    await cluster.start({ role: 'worker', env: SHORT }),
    await cluster.start({ role: 'worker', env: SHORT }),
  ];
  const runs = await Promise.all(
    [...Array(12).keys()].map(async (index) => {
      const { thread_id } = await client.threads.create();
      const file = join(cluster.folder, `outlasts-${index}`);
      await client.runs.wait(thread_id, 'steps', { input: { steps: 4, delay_ms: 250, file } });
      return { thread_id, file };
    }),
  );
  for (const { thread_id, file } of runs) {
    const trace = await readTrace(file);
    expect(trace.map(({ what }) => what)).toEqual(['step 1', 'step 2', 'step 3', 'step 4']);
    expect(new Set(trace.map(({ pid }) => pid)).size).toBe(1);
    expect(await attemptsOf(thread_id)).toEqual(['success 1']);
  }
  await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
});

test('a process that stops hands the runs it began to another', async () => {
  const client = clientOf(await cluster.start({ role: 'api', env: SHORT }));
  const env = { ...SHORT, SLIPWAY_GRACE_SECONDS: '1' };
  const worker = await cluster.start({ role: 'worker', env });
  const { thread_id } = await client.threads.create();
  const file = join(cluster.folder, 'handed-back');
  const input = { steps: 8, delay_ms: 500, file };
  const { run_id } = await client.runs.create(thread_id, 'steps', { input });
  await begun(file, 2);
  const other = await cluster.start({ role: 'worker', env });
  expect(await worker.end('SIGTERM')).toBe(0);
  expect(await client.runs.join(thread_id, run_id)).toMatchObject({ done: [1, 2, 3, 4, 5, 6, 7, 8] });
  // Handing a run back does not count as an attempt.
  expect(await attemptsOf(thread_id)).toEqual(['success 1']);
  await other.end('SIGTERM');
});

test('a run is stopped within its workflow task: by a cancellation, by a later run, with its workflow', async () => {
  const server = await cluster.start({ env: LOCAL });
  const client = clientOf(server);
  const started = async (name: string) => {
    const { thread_id } = await client.threads.create();
    const file = join(cluster.folder, name);
    const { run_id } = await client.runs.create(thread_id, 'sleepy', { input: { ms: 1_800, file } });
    await begun(file);
    return { thread_id, run_id, file };
  };
  const cancelled = await started('cancelled');
  await client.runs.cancel(cancelled.thread_id, cancelled.run_id, true);
  expect(await attemptsOf(cancelled.thread_id)).toEqual(['interrupted 1']);
  const displaced = await started('displaced');
  await client.runs.wait(displaced.thread_id, 'echo', {
    input: { text: 'new' },
    multitaskStrategy: 'interrupt',
  });
  expect(await attemptsOf(displaced.thread_id)).toEqual(['interrupted 1', 'success 1']);
  const undone = await started('undone');
  await client.runs.wait(undone.thread_id, 'echo', { input: { text: 'new' }, multitaskStrategy: 'rollback' });
  expect(await attemptsOf(undone.thread_id)).toEqual(['success 1']);
  expect((await client.threads.getState(undone.thread_id)).values).not.toHaveProperty('ms');
  for (const { file } of [cancelled, displaced, undone])
    expect((await readTrace(file)).map(({ what }) => what)).toEqual(['started', 'aborted']);
  await server.end('SIGTERM');
});

test('a run that outlasts its workflow task is cancelled with its workflow', async () => {
  const server = await cluster.start({ env: SHORT });
  const client = clientOf(server);
  const { thread_id } = await client.threads.create();
  const file = join(cluster.folder, 'by-an-operator');
  await client.runs.create(thread_id, 'sleepy', { input: { ms: 60_000, file } });
  await begun(file);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const { workflow } = new Temporal({ connection });
  await workflow.getHandle(`${cluster.deployment}/thread/${thread_id}`).cancel();
  await until('it is interrupted', async () => (await attemptsOf(thread_id))[0] === 'interrupted 1');
  expect((await readTrace(file)).map(({ what }) => what)).toEqual(['started', 'aborted']);
  await connection.close();
  await server.end('SIGTERM');
});

test('runs accepted while their thread becomes idle start without delay', async () => {
  const server = await cluster.start({ env: SHORT });
  const client = clientOf(server);
  const pace = await startPace(cluster.db);
  const waits: number[] = [];
  for (let round = 0; round < 25; round++) {
    const { thread_id } = await client.threads.create();
    await client.runs.create(thread_id, 'echo', { input: { text: 'first' } });
    // From long before the end of the first to after it.
    await new Promise((resolve) => setTimeout(resolve, round * 2));
    const from = Date.now();
    await client.runs.wait(thread_id, 'echo', { input: { text: 'second' } });
    waits.push(pace.between(from, Date.now()));
  }
  await pace.stop();
  expect(waits.filter((ms) => ms > 900)).toEqual([]);
  await server.end('SIGTERM');
});
