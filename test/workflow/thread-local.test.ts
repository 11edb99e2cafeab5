import { randomUUID } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { cancelled, heartbeat } from '@temporalio/activity';
import type { LocalTurn, QueuedRun, RunActivities } from '../../workflows/runs/contracts.ts';
import type { thread } from '../../workflows/runs/thread.ts';
import { until } from '../support/until.ts';
import { useTemporal } from '../support/use-temporal.ts';

const temporal = useTemporal();

/** A thread workflow started with its first run, with stand-ins for its activities: what ran, in order. */
async function openThread(locally: (runId: string) => Promise<LocalTurn | 'declined'>, lingerMs = 0) {
  const log: string[] = [];
  const executeRun = jest.fn<RunActivities['executeRun']>(async ({ run_id }) => {
    log.push(`execute ${run_id}`);
    return 'settled';
  });
  const settleRun = jest.fn<RunActivities['settleRun']>(async ({ run_id, reason }) => {
    log.push(`settle ${run_id} ${reason}`);
  });
  const executeLocally = jest.fn<RunActivities['executeLocally']>(async ({ run_id }) => {
    log.push(`local ${run_id}`);
    return locally(run_id);
  });
  const taskQueue = await temporal.startWorker({ executeRun, settleRun, executeLocally });
  const runOf = (run_id: string): QueuedRun => ({
    run_id,
    graph_id: 'g',
    assistant_id: 'a',
    multitask_strategy: 'enqueue',
    task_queue: taskQueue,
    timeout_ms: 60_000,
  });
  const input = {
    deployment: 'test',
    thread_id: randomUUID(),
    linger_ms: lingerMs,
    heartbeat_timeout_ms: 120_000,
    search_attributes: false,
    local_ms: 300,
  };
  const handle = await temporal.client.workflow.start<typeof thread>('thread', {
    taskQueue,
    workflowId: `test/thread/${input.thread_id}`,
    args: [{ ...input, runs: [runOf('1')] }],
  });
  const enqueue = (runId: string) => handle.signal<[QueuedRun]>('enqueueRun', runOf(runId));
  return { log, handle, enqueue, executeLocally };
}

const settled = (runId: string, more = false): LocalTurn => ({ turn: 1, settled: [runId], more });
const joining = (process_queue: string) => async (): Promise<LocalTurn> => ({
  turn: 1,
  settled: [],
  current: '1',
  process_queue,
});

test('a short run ends within the workflow task', async () => {
  const { log, handle, executeLocally } = await openThread(async (runId) => settled(runId));
  await handle.result();
  expect(log).toEqual(['local 1']);
  expect(executeLocally.mock.calls[0]![0]).toMatchObject({ run_id: '1', turn: 1, local_ms: 300 });
  const { events } = await handle.fetchHistory();
  expect(events!.length).toBeLessThanOrEqual(6);
});

test('a queue that would close waits for a run that was accepted', async () => {
  const { log, handle, enqueue } = await openThread(async (runId) =>
    runId === '1' ? settled('1', true) : { turn: 2, settled: [runId] },
  );
  await until('the first run ends', () => log.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await enqueue('2');
  await handle.result();
  expect(log).toEqual(['local 1', 'local 2']);
});

test('a longer run is joined in the process where it began', async () => {
  const processQueue = await temporal.startWorker({
    executeRun: async () => ({ turn: 1, settled: ['1'] }),
  });
  const { log, handle } = await openThread(joining(processQueue));
  await handle.result();
  expect(log).toEqual(['local 1']);
});

test('a run whose process is gone, or fails to go on with it, is executed by any worker', async () => {
  const gone = await openThread(joining(`gone-${randomUUID()}`));
  await gone.handle.result();
  expect(gone.log).toEqual(['local 1', 'execute 1']);
  const failing = await temporal.startWorker({ executeRun: () => Promise.reject(new Error('leaving')) });
  const failed = await openThread(joining(failing));
  await failed.handle.result();
  expect(failed.log).toEqual(['local 1', 'execute 1']);
});

test.each([
  ['is declined', async () => 'declined' as const],
  ['fails', () => Promise.reject(new Error('database away'))],
])('a run that %s within the task is executed by an activity', async (_, locally) => {
  const { log, handle } = await openThread(locally);
  await handle.result();
  expect(log).toEqual(['local 1', 'execute 1']);
});

test('a run stopped within the task is settled by what was asked of it', async () => {
  let leave!: (turn: LocalTurn) => void;
  const left = new Promise<LocalTurn>((resolve) => (leave = resolve));
  const { log, handle } = await openThread(() => left);
  await until('it executes', () => log.length === 1);
  await handle.signal('cancelRun', { run_id: '1', action: 'rollback' });
  leave({ turn: 1, settled: [], current: '1' });
  await handle.result();
  expect(log).toEqual(['local 1', 'settle 1 rollback']);
});

test('a run that is joined is cancelled with its workflow', async () => {
  const processQueue = await temporal.startWorker({ executeRun: untilStopped });
  const { log, handle } = await openThread(joining(processQueue));
  await until('it is joined', async () => (await handle.describe()).raw.pendingActivities?.length === 1);
  await handle.cancel();
  await handle.result().catch(() => {});
  expect(log).toEqual(['local 1', 'settle 1 interrupt']);
});

const untilStopped: RunActivities['executeRun'] = async () => {
  const beat = setInterval(heartbeat, 50);
  return cancelled().finally(() => clearInterval(beat));
};
