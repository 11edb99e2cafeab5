import { defineSearchAttributeKey } from '@temporalio/common';
import {
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  CancelAction,
  CancelRunInput,
  QueuedRun,
  RunActivities,
  SettleReason,
  ThreadInput,
  ThreadQueueView,
  TurnProgress,
} from './contracts.ts';
import { executeToOutcome } from './run-execution.ts';
import { describeThread } from './thread-details.ts';
import { ThreadQueue } from './thread-queue.ts';
import { Turn } from './turn.ts';
import { startDelivery } from './webhook-start.ts';

// The Temporal UI sends signals but no updates, so each update has a signal of the same name.
const enqueueRun = defineUpdate<void, [QueuedRun]>('enqueueRun');
const enqueueRunSignal = defineSignal<[QueuedRun]>('enqueueRun');
const cancelRun = defineUpdate<boolean, [CancelRunInput]>('cancelRun');
const cancelRunSignal = defineSignal<[CancelRunInput]>('cancelRun');
const cancelAll = defineSignal<[]>('cancelAll');
const noteProgress = defineSignal<[TurnProgress]>('noteProgress');
const queueQuery = defineQuery<ThreadQueueView>('queue');

const RUN_IDS = defineSearchAttributeKey('SlipwayRunIds', 'KEYWORD_LIST');
// The latest runs by which an operator finds the thread.
const MAX_RUN_IDS = 20;
// Fewer than MAX_RUN_IDS, so that `finished` still holds every run of the turn.
const MAX_NEXT = 15;
// How long an idle queue waits for the signal of a run that was accepted.
const MORE_WAIT_MS = 3_000;

const SETTLE = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
} as const;
const regular = proxyActivities<RunActivities>(SETTLE);
const local = proxyLocalActivities<RunActivities>(SETTLE);

/**
 * The queue of one thread: executes its runs one at a time and lingers when idle. Never ends or continues as new during
 * a run. Cancelling it interrupts all its runs.
 */
export async function thread(input: ThreadInput): Promise<void> {
  const queue = new ThreadQueue(input.runs);
  const noted: string[] = [...(input.noted_run_ids ?? [])];
  const finished: string[] = [];
  let current: Turn | undefined;
  let turns = 0;
  let hasMore = false;
  const { settleRun } = input.local_ms ? local : regular;
  const settle = (run_id: string, reason: SettleReason) =>
    CancellationScope.nonCancellable(() => settleRun({ run_id, reason }));

  const stopCurrent = (action: CancelAction) => {
    if (!current || current.stop) return;
    current.stop = action;
    current.scope.cancel();
  };
  const accept = (run: QueuedRun) => {
    if (current?.run.run_id === run.run_id || queue.has(run.run_id) || finished.includes(run.run_id)) return;
    const { multitask_strategy: strategy } = run;
    if (strategy === 'interrupt' || strategy === 'rollback') stopCurrent(strategy);
    queue.add(run);
    if (input.search_attributes && !noted.includes(run.run_id)) {
      noted.push(run.run_id);
      upsertSearchAttributes([{ key: RUN_IDS, value: noted.slice(-MAX_RUN_IDS) }]);
    }
  };
  const cancel = (request: CancelRunInput): boolean | Promise<boolean> => {
    const { run_id, action = 'interrupt' } = request;
    if (current?.isUncertain(run_id)) return current.onceLocated(() => cancel(request));
    if (current?.run.run_id !== run_id) return queue.stop(run_id, action);
    stopCurrent(action);
    return true;
  };

  const end = (runId: string) => {
    queue.remove(runId);
    if (!finished.includes(runId)) finished.push(runId);
    if (finished.length > MAX_RUN_IDS) finished.shift();
  };
  const follow = ({ turn, settled, current: runId, more = false }: TurnProgress) => {
    // A worker that was frozen may report on an earlier turn.
    if (turn !== current?.number) return;
    hasMore = more;
    settled.forEach(end);
    if (runId) queue.remove(runId);
    current.locate(runId);
    setCurrentDetails(describeThread(current.run, queue.queued, finished));
  };

  setHandler(enqueueRun, accept, { validator: checkRun });
  setHandler(enqueueRunSignal, accept);
  setHandler(cancelRun, cancel);
  setHandler(cancelRunSignal, (request) => void cancel(request));
  setHandler(cancelAll, () => {
    queue.stopAll('interrupt');
    stopCurrent('interrupt');
  });
  setHandler(noteProgress, follow);
  setHandler(queueQuery, () => ({ running: current?.run ?? null, queued: [...queue.queued] }));

  const settleStopped = async () => {
    for (let stopped = queue.takeStopped(); stopped; stopped = queue.takeStopped()) {
      await settle(stopped.run.run_id, stopped.action);
      if (stopped.run.webhook) await startDelivery(input.deployment, stopped.run);
    }
  };
  const execute = async (first: QueuedRun) => {
    const next = queue.following(first, Date.now(), MAX_NEXT);
    // Older histories execute one run per turn.
    const turn = new Turn(++turns, first, next.length > 0 && patched('turns') ? next : []);
    current = turn;
    setCurrentDetails(describeThread(first, queue.queued, finished));
    const outcome = await executeToOutcome(turn, input, follow);
    const { run } = turn;
    const isUnfinished = outcome === 'again' || outcome === 'unclaimed';
    if (outcome && !isUnfinished) await settle(run.run_id, outcome);
    current = undefined;
    if (isUnfinished) queue.putBack(run);
    else end(run.run_id);
    if (outcome === 'unclaimed') queue.move(run.task_queue, workflowInfo().taskQueue);
    setCurrentDetails(describeThread(undefined, queue.queued, finished));
    if (run.webhook && !isUnfinished) await startDelivery(input.deployment, run);
  };

  try {
    for (;;) {
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('Thread cancelled');
      await settleStopped();
      if (workflowInfo().continueAsNewSuggested) {
        await continueAsNew<typeof thread>({
          ...input,
          runs: [...queue.queued],
          noted_run_ids: noted.slice(-MAX_RUN_IDS),
        });
      }
      const run = queue.takeDue(Date.now());
      if (run) {
        await execute(run);
        continue;
      }
      const { length } = queue.queued;
      const dueIn = queue.dueIn(Date.now());
      if (dueIn === undefined && input.linger_ms === 0 && !hasMore) return;
      const woken = await condition(
        () => queue.hasStopped || queue.queued.length !== length,
        dueIn ?? (input.linger_ms || MORE_WAIT_MS),
      );
      hasMore = false;
      if (!woken && dueIn === undefined) return;
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    while (queue.queued.length > 0 || queue.hasStopped) {
      queue.stopAll('interrupt');
      await settleStopped();
    }
    throw error;
  }
}

function checkRun(run: QueuedRun): void {
  if (typeof run?.run_id !== 'string' || typeof run.task_queue !== 'string' || !(run.timeout_ms > 0)) {
    throw new TypeError(
      'enqueueRun requires {run_id, graph_id, assistant_id, multitask_strategy, task_queue, timeout_ms}',
    );
  }
}
