import { randomUUID } from 'node:crypto';
import { describe, expect, jest, test } from '@jest/globals';
import { cancelled, Context, heartbeat } from '@temporalio/activity';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { RunActivities } from '../../workflows/runs/contracts.ts';
import type {
  CancelRunInput,
  ExecuteRunInput,
  ExecuteRunResult,
  QueuedRun,
  ThreadQueueView,
  TurnProgress,
} from '../../workflows/runs/contracts.ts';
import type { thread } from '../../workflows/runs/thread.ts';
import { useTemporal } from '../support/use-temporal.ts';
import { until } from '../support/until.ts';

const temporal = useTemporal();

/** A thread workflow with stand-ins for its activities: what ran, what was settled and why, in order. */
async function openThread(
  execute: (runId: string, input: ExecuteRunInput) => Promise<ExecuteRunResult | TurnProgress>,
  lingerMs = 2_000,
) {
  const log: string[] = [];
  const executeRun = jest.fn<RunActivities['executeRun']>(async (input) => {
    const { run_id } = input;
    log.push(`start ${run_id}`);
    const result = await execute(run_id, input);
    log.push(`end ${run_id}`);
    return result;
  });
  const settleRun = jest.fn<RunActivities['settleRun']>(async ({ run_id, reason }) => {
    log.push(`settle ${run_id} ${reason}`);
  });
  const taskQueue = await temporal.startWorker({ executeRun, settleRun });
  const threadId = randomUUID();
  const workflowId = `test/thread/${threadId}`;
  const enqueue = (run_id: string, fields: Partial<QueuedRun> = {}) => {
    const run: QueuedRun = {
      run_id,
      graph_id: 'g',
      assistant_id: 'a',
      multitask_strategy: 'enqueue',
      task_queue: taskQueue,
      timeout_ms: 60_000,
      ...fields,
    };
    return temporal.client.workflow.executeUpdateWithStart<typeof thread, void, [QueuedRun]>('enqueueRun', {
      args: [run],
      startWorkflowOperation: new WithStartWorkflowOperation<typeof thread>('thread', {
        taskQueue,
        workflowId,
        workflowIdConflictPolicy: 'USE_EXISTING',
        args: [
          {
            deployment: 'test',
            thread_id: threadId,
            linger_ms: lingerMs,
            // None here is lost by being slow.
            heartbeat_timeout_ms: 120_000,
            search_attributes: false,
          },
        ],
      }),
    });
  };
  const handle = temporal.client.workflow.getHandle<typeof thread>(workflowId);
  return { log, enqueue, handle, executeRun, settleRun };
}

const untilCancelled = async (): Promise<ExecuteRunResult> => {
  const beat = setInterval(heartbeat, 50);
  return cancelled().finally(() => clearInterval(beat));
};

describe('the queue of a thread', () => {
  test('executes runs one at a time, in the order received, then completes', async () => {
    const { log, enqueue, handle, settleRun } = await openThread(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return 'settled';
    });
    for (const id of ['1', '2', '3']) await enqueue(id);
    await handle.result();
    expect(log).toEqual(['1', '2', '3'].flatMap((id) => [`start ${id}`, `end ${id}`]));
    expect(settleRun).not.toHaveBeenCalled();
  });

  test("moves runs that no worker of their revision picks up to the deployment's queue", async () => {
    const { log, enqueue, handle } = await openThread(async () => 'settled', 120_000);
    const task_queue = `gone-${randomUUID()}`;
    for (const id of ['1', '2', '3']) await enqueue(id, { task_queue });
    await until('all are executed', () => log.length === 6);
    expect(log).toEqual(['1', '2', '3'].flatMap((id) => [`start ${id}`, `end ${id}`]));
    expect((await handle.query<ThreadQueueView>('queue')).queued).toEqual([]);
    await handle.terminate();
  });

  test('accepts the same run only once', async () => {
    const { log, enqueue, handle, executeRun } = await openThread(async () => 'settled', 120_000);
    await Promise.all([enqueue('1'), enqueue('1'), enqueue('1')]);
    await enqueue('2');
    await until('the next one is executed', () => log.includes('end 2'));
    expect(executeRun).toHaveBeenCalledTimes(2);
    await handle.terminate();
  });

  test('holds a delayed run until it is due and lets others pass', async () => {
    const begun = new Map<string, number>();
    const { log, enqueue, handle } = await openThread(async (id) => {
      begun.set(id, Date.now());
      return 'settled';
    }, 120_000);
    await enqueue('much later', { due_ms: Date.now() + 3_600_000 });
    await enqueue('now');
    await until('the one that came later is executed', () => log.includes('end now'));
    const due_ms = Date.now() + 1_000;
    await enqueue('late', { due_ms });
    await until('the delayed one is executed', () => log.includes('end late'));
    expect(begun.get('late')).toBeGreaterThanOrEqual(due_ms);
    expect(log).toEqual(['start now', 'end now', 'start late', 'end late']);
    const { queued } = await handle.query<ThreadQueueView>('queue');
    expect(queued.map(({ run_id }) => run_id)).toEqual(['much later']);
    await handle.terminate();
  });

  test.each(['interrupt', 'rollback'] as const)(
    '%s stops all in flight, delayed ones too, before it starts',
    async (strategy) => {
      const { log, enqueue, handle } = await openThread((id) =>
        id === 'long' ? untilCancelled() : Promise.resolve('settled'),
      );
      await enqueue('long');
      await enqueue('waiting');
      await enqueue('delayed', { due_ms: Date.now() + 3_600_000 });
      await enqueue('new', { multitask_strategy: strategy });
      await handle.result();
      const settled = ['long', 'waiting', 'delayed'].map((id) => `settle ${id} ${strategy}`);
      expect(log.filter((line) => line.startsWith('settle')).sort()).toEqual(settled.sort());
      expect(log.slice(-2)).toEqual(['start new', 'end new']);
    },
  );
});

describe('stopping', () => {
  test('cancelRun ends the running run, and the next one follows', async () => {
    const { log, enqueue, handle } = await openThread((id) =>
      id === '1' ? untilCancelled() : Promise.resolve('settled'),
    );
    await enqueue('1');
    await enqueue('2');
    await until('it runs', () => log.includes('start 1'));
    expect(await handle.executeUpdate('cancelRun', { args: [{ run_id: '1' }] })).toBe(true);
    await handle.result();
    expect(log).toEqual(['start 1', 'settle 1 interrupt', 'start 2', 'end 2']);
  });

  test('cancelRun by signal, as an operator sends it, ends a waiting run', async () => {
    const { log, enqueue, handle } = await openThread((id) =>
      id === '1' ? untilCancelled() : Promise.resolve('settled'),
    );
    await enqueue('1');
    await enqueue('2');
    await handle.signal('cancelRun', { run_id: '2', action: 'rollback' });
    await handle.signal('cancelAll');
    await handle.result();
    expect(log.filter((line) => line.startsWith('settle')).sort()).toEqual([
      'settle 1 interrupt',
      'settle 2 rollback',
    ]);
  });

  test('stopping a run it no longer holds returns false', async () => {
    const { enqueue, handle } = await openThread(async () => 'settled', 120_000);
    await enqueue('1');
    expect(await handle.executeUpdate('cancelRun', { args: [{ run_id: 'other' }] })).toBe(false);
    await handle.terminate();
  });

  test('cancelling the workflow interrupts every run it holds', async () => {
    const { log, enqueue, handle } = await openThread(untilCancelled);
    await enqueue('1');
    await enqueue('2');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    expect(log.filter((line) => line.startsWith('settle')).sort()).toEqual([
      'settle 1 interrupt',
      'settle 2 interrupt',
    ]);
  });

  test('cancelling the workflow interrupts a run whose graph has stopped by itself', async () => {
    const leave = () => untilCancelled().catch((): ExecuteRunResult => 'stopped');
    const { log, enqueue, handle } = await openThread(leave);
    await enqueue('1');
    await until('it runs', () => log.includes('start 1'));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect(log).toEqual(['start 1', 'end 1', 'settle 1 interrupt']);
    // It does not wait for instructions on how the run should end.
    const { events } = await handle.fetchHistory();
    expect(events!.filter(({ timerStartedEventAttributes: timer }) => timer)).toEqual([]);
  });

  test('a graph that stopped before the cancellation is settled by its action', async () => {
    let leave!: (result: ExecuteRunResult) => void;
    const left = new Promise<ExecuteRunResult>((resolve) => (leave = resolve));
    const { log, enqueue, handle } = await openThread(() => left);
    await enqueue('1');
    leave('stopped');
    await handle.signal('cancelRun', { run_id: '1', action: 'rollback' });
    await handle.result();
    expect(log.at(-1)).toBe('settle 1 rollback');
  });
});

describe('a turn of several runs', () => {
  /** A thread where run 1 has ended, and runs 2, 3 and 4 were handed to `execute` together. */
  async function openTurn(execute: (input: ExecuteRunInput) => Promise<ExecuteRunResult | TurnProgress>) {
    let leave!: () => void;
    const first = new Promise<void>((resolve) => (leave = resolve));
    const opened = await openThread(async (runId, input) => {
      if (runId === '1') await first;
      return runId === '2' ? execute(input) : 'settled';
    }, 500);
    for (const id of ['1', '2', '3', '4']) await opened.enqueue(id);
    leave();
    await until('the turn has begun', () => opened.log.includes('start 2'));
    const [input] = opened.executeRun.mock.calls.find(([{ run_id }]) => run_id === '2')!;
    expect(input.next?.map(({ run_id }) => run_id)).toEqual(['3', '4']);
    const cancel = (request: CancelRunInput) =>
      opened.handle.executeUpdate<boolean, [CancelRunInput]>('cancelRun', { args: [request] });
    return { ...opened, turn: input.turn!, cancel };
  }
  const started = (log: string[]) => log.filter((line) => line.startsWith('start'));
  const settled = (log: string[]) => log.filter((line) => line.startsWith('settle'));
  const cancelledAt = async (progress: TurnProgress) => untilCancelled().catch(() => progress);

  test('the next turn starts after the runs that are settled', async () => {
    const { log, handle } = await openTurn(async ({ turn }) => ({ turn: turn!, settled: ['2', '3'] }));
    await handle.result();
    expect(started(log)).toEqual(['start 1', 'start 2', 'start 4']);
    expect(settled(log)).toEqual([]);
  });

  test('cancelRun waits until the executing run is known, and affects only that', async () => {
    const { log, handle, turn, cancel } = await openTurn(({ turn }) =>
      cancelledAt({ turn: turn!, settled: ['2'], current: '3' }),
    );
    // Progress reports of a finished turn have no effect.
    await handle.signal('noteProgress', { turn: turn - 1, settled: [], current: '4' });
    const asked = ['2', '3', '4'].map((run_id) => cancel({ run_id, action: 'rollback' }));
    // As many updates as runs and questions.
    await until('the questions have come', async () => {
      const events = (await handle.fetchHistory()).events ?? [];
      return events.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length === 7;
    });
    expect((await handle.query<ThreadQueueView>('queue')).running?.run_id).toBe('2');
    await handle.signal('noteProgress', { turn, settled: ['2'], current: '3' });
    expect(await Promise.all(asked)).toEqual([false, true, true]);
    await handle.result();
    expect(settled(log)).toEqual(['settle 3 rollback', 'settle 4 rollback']);
    expect(started(log)).toEqual(['start 1', 'start 2']);
  });

  test('a run stopped by others is settled by the requested action', async () => {
    let leave!: (progress: TurnProgress) => void;
    const left = new Promise<TurnProgress>((resolve) => (leave = resolve));
    const { log, handle, turn } = await openTurn(() => left);
    await handle.signal('cancelRun', { run_id: '3', action: 'rollback' });
    leave({ turn, settled: ['2'], current: '3' });
    await handle.result();
    expect(settled(log)).toEqual(['settle 3 rollback']);
    expect(started(log)).toEqual(['start 1', 'start 2', 'start 4']);
  });

  test('interrupt stops the executing run and those queued behind it', async () => {
    const { log, enqueue, handle } = await openTurn(({ turn }) =>
      cancelledAt({ turn: turn!, settled: ['2'], current: '3' }),
    );
    await enqueue('new', { multitask_strategy: 'interrupt' });
    await handle.result();
    expect(settled(log)).toEqual(['settle 3 interrupt', 'settle 4 interrupt']);
    expect(log.slice(-2)).toEqual(['start new', 'end new']);
  });

  test('after its worker is lost, the executing run goes first', async () => {
    const { log, handle } = await openTurn(async ({ turn }) => {
      const { workflowExecution } = Context.current().info;
      const handle = temporal.client.workflow.getHandle(workflowExecution!.workflowId);
      await handle.signal('noteProgress', { turn, settled: ['2'], current: '3' });
      return { turn: turn!, settled: ['2'] };
    });
    await handle.result();
    expect(started(log)).toEqual(['start 1', 'start 2', 'start 3', 'start 4']);
    expect(settled(log)).toEqual([]);
  });
});

describe('failures', () => {
  test('a run that cannot be executed is settled as lost', async () => {
    const { log, enqueue, handle } = await openThread(() =>
      Promise.reject(ApplicationFailure.nonRetryable('no')),
    );
    await enqueue('1');
    await handle.result();
    expect(log.at(-1)).toBe('settle 1 lost');
  });

  test('a failed attempt is retried', async () => {
    let tries = 0;
    const { enqueue, handle, settleRun } = await openThread(async () => {
      if (++tries < 3) throw new Error('database away');
      return 'settled';
    });
    await enqueue('1');
    await handle.result();
    expect(tries).toBe(3);
    expect(settleRun).not.toHaveBeenCalled();
  });
});

test('the queue query returns the running and waiting runs', async () => {
  const { enqueue, handle } = await openThread(untilCancelled);
  await enqueue('1');
  await enqueue('2');
  const view = await handle.query<ThreadQueueView>('queue');
  expect([view.running?.run_id, ...view.queued.map(({ run_id }) => run_id)]).toEqual(['1', '2']);
  await handle.cancel();
  await handle.result().catch(() => {});
});
