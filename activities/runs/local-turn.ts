import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import type { ExecuteLocallyInput, LocalTurn, TurnProgress } from '../../workflows/runs/contracts.ts';
import { CONTINUES_MS, executeTurn } from './execute-turn.ts';

// For a run that is still being claimed, so that the activity that joins it finds it.
const CLAIM_POLL_MS = 20;

/**
 * Executes runs for `local_ms` milliseconds; the one that is then executing continues, and its activity joins it here.
 * Declines runs of other revisions and those that another process has started; all if this process has no room or local
 * runs are off. Throws what `executeTurn` throws.
 */
export async function executeLocally(
  deps: AgentDeps,
  { local_ms, task_queue, next = [], turn = 0, ...first }: ExecuteLocallyInput,
  signal: AbortSignal,
): Promise<LocalTurn | 'declined'> {
  const { running, threads, config } = deps;
  const isFull = running.size >= config.SLIPWAY_CONCURRENCY;
  const isOff = config.SLIPWAY_LOCAL_RUN_MS === 0;
  if (task_queue !== threads.runQueue || running.isLeaving || isFull || isOff) return 'declined';
  let progress: TurnProgress = { turn, settled: [], current: first.run_id };
  const work = executeTurn(deps, {
    runs: [first, ...next],
    turn,
    signal,
    continuesMs: Math.min(CONTINUES_MS, local_ms),
    // A repeated workflow task must not take over runs: that counts as an attempt.
    isFirstWaiting: true,
    // The workflow learns of it when its task ends.
    report: async () => {},
    onStart: (started) => (progress = started),
  });
  const ended = await untilEither(work, local_ms, () => running.has(progress.current!));
  if (!ended) return { ...progress, process_queue: running.taskQueue };
  return ended.settled.length > 0 || ended.current ? ended : 'declined';
}

/** Waits for the work for `ms`, then until `mayGo`. Undefined if it still runs. */
async function untilEither(
  work: Promise<TurnProgress>,
  ms: number,
  mayGo: () => boolean,
): Promise<TurnProgress | undefined> {
  const over = new AbortController();
  // The activity that joins the run sees a later failure.
  work.catch(() => {}).finally(() => over.abort());
  const pause = (length: number) => sleep(length, undefined, { signal: over.signal }).catch(() => undefined);
  let result = await Promise.race([work, pause(ms)]);
  while (!result && !mayGo()) result = await Promise.race([work, pause(CLAIM_POLL_MS)]);
  return result;
}
