import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import type { ExecuteLocallyInput, LocalTurn, TurnProgress } from '../../workflows/runs/contracts.ts';
import { CONTINUES_MS, executeTurn } from './execute-turn.ts';

// For a run that is still being claimed, so that the activity that joins it finds it.
const CLAIM_POLL_MS = 20;

/**
 * Executes runs for `local_ms` milliseconds; the one that then executes goes on, and its activity joins it here. Declines
 * runs of other revisions, and all if this process has no room or local runs are off. Throws like `executeTurn`.
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
    isRepeated: false,
    // The workflow hears of it when its task ends.
    report: async () => {},
    onStart: (begun) => (progress = begun),
    continuesMs: Math.min(CONTINUES_MS, local_ms),
  });
  const ended = await untilEither(work, local_ms, () => running.has(progress.current!));
  return ended ?? { ...progress, process_queue: running.taskQueue };
}

/** Waits for the work, but no longer than `ms` once it may be left to itself. */
async function untilEither<Result>(
  work: Promise<Result>,
  ms: number,
  mayGo: () => boolean,
): Promise<Result | undefined> {
  const over = new AbortController();
  // What fails later, the joining activity finds out.
  work.catch(() => {}).finally(() => over.abort());
  const pause = (length: number) => sleep(length, undefined, { signal: over.signal }).catch(() => {});
  const ended = work.then((result) => ({ result }));
  ended.catch(() => {});
  let done = await Promise.race([ended, pause(ms)]);
  while (!done && !mayGo()) done = await Promise.race([ended, pause(CLAIM_POLL_MS)]);
  return done?.result;
}
