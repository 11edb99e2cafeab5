import { expect, test } from '@jest/globals';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import type { ThreadQueueView } from '../../workflows/runs/contracts.ts';
import { clientOf, useCluster } from './cluster.ts';
import { until } from '../support/until.ts';

const cluster = useCluster();

/** An operator's actions in the Temporal UI, through the same interface. */
async function operate() {
  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  return { temporal: new TemporalClient({ connection }), close: () => connection.close() };
}

test('an operator finds a run by its id and cancels it in Temporal; the API shows it interrupted within 2 s', async () => {
  const server = await cluster.start();
  const client = clientOf(server);
  const { temporal, close } = await operate();
  const { thread_id } = await client.threads.create();
  const run = await client.runs.create(thread_id, 'sleepy', { input: { ms: 600_000 } });
  const queued = await client.runs.create(thread_id, 'echo', { input: { text: 'x' } });
  const statusOf = async (runId: string) => (await client.runs.get(thread_id, runId)).status;
  await until('the run executes', async () => (await statusOf(run.run_id)) === 'running');

  let workflowId = '';
  await until('the search attribute is indexed', async () => {
    for await (const found of temporal.workflow.list({ query: `SlipwayRunIds = "${queued.run_id}"` })) {
      workflowId = found.workflowId;
    }
    return workflowId !== '';
  });
  expect(workflowId).toBe(`${cluster.deployment}/thread/${thread_id}`);
  const handle = temporal.workflow.getHandle(workflowId);
  const view = await handle.query<ThreadQueueView>('queue');
  expect([view.running?.run_id, view.queued[0]?.run_id]).toEqual([run.run_id, queued.run_id]);

  await handle.signal('cancelRun', { run_id: run.run_id });
  await until('the run is interrupted', async () => (await statusOf(run.run_id)) === 'interrupted');
  await until('the next run follows', async () => (await statusOf(queued.run_id)) === 'success');

  // The third executes right after the second, without the queue.
  const turn: string[] = [];
  for (const [graph, ms] of [['sleepy', 1_000], ['echo'], ['sleepy', 600_000], ['echo']] as const)
    turn.push((await client.runs.create(thread_id, graph, { input: { ms } })).run_id);
  await until('the third executes', async () => (await statusOf(turn[2]!)) === 'running');
  await handle.signal('cancelRun', { run_id: turn[2] });
  await until('the last follows', async () => (await statusOf(turn[3]!)) === 'success');
  expect(await Promise.all(turn.map(statusOf))).toEqual(['success', 'success', 'interrupted', 'success']);

  const last = await client.runs.create(thread_id, 'sleepy', { input: { ms: 600_000 } });
  await until('the run executes', async () => (await statusOf(last.run_id)) === 'running');
  await handle.cancel();
  await until(
    'cancelling the workflow interrupts its run',
    async () => (await statusOf(last.run_id)) === 'interrupted',
  );
  await close();
});

test('runs of a terminated workflow end as interrupted, and the thread accepts new ones', async () => {
  const server = await cluster.start({ env: { SLIPWAY_SWEEP_SECONDS: '2' } });
  const client = clientOf(server);
  const { temporal, close } = await operate();
  const { thread_id } = await client.threads.create();
  const run = await client.runs.create(thread_id, 'sleepy', { input: { ms: 600_000 } });
  const statusOf = async (runId: string) => (await client.runs.get(thread_id, runId)).status;
  await until('the run executes', async () => (await statusOf(run.run_id)) === 'running');
  await temporal.workflow.getHandle(`${cluster.deployment}/thread/${thread_id}`).terminate('by hand');
  await until('the sweep settles it', async () => (await statusOf(run.run_id)) === 'interrupted');
  expect(await client.runs.wait(thread_id, 'echo', { input: { text: 'new' } })).toMatchObject({
    echo: 'new',
  });
  await close();
});

test('the sweep queues a run whose API died first', async () => {
  const server = await cluster.start({ env: { SLIPWAY_SWEEP_SECONDS: '2' } });
  const client = clientOf(server);
  const { thread_id } = await client.threads.create();
  const sample = await client.runs.create(thread_id, 'echo', { input: { text: 'sample' } });
  await client.runs.join(thread_id, sample.run_id);
  // The row left by an API killed between its transaction and the queue.
  const { rows } = await cluster.db.query<{ run_id: string }>(
    `insert into run (run_id, thread_id, assistant_id, graph_id, kwargs, multitask_strategy, updated_at)
     select gen_random_uuid(), thread_id, assistant_id, graph_id, kwargs, multitask_strategy, now() - interval '1 minute'
     from run where run_id = $1 returning run_id`,
    [sample.run_id],
  );
  await until('the sweep queues it', async () => {
    return (await client.runs.get(thread_id, rows[0]!.run_id)).status === 'success';
  });
});
