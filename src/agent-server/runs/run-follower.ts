import type { AgentDeps } from '../agent-deps.ts';
import { EventFollower, type EventSource } from '../events/event-follower.ts';
import type { RunEnd, RunEvent } from '../events/event-frame.ts';
import type { EventId } from '../events/event-id.ts';
import { TERMINAL } from '../records/run.ts';
import { findReadStatus } from '../records/in-flight-repository.ts';

const AGAIN_MS = 250;

export interface RunFollower {
  /** Settles once the subscription is active. */
  ready: Promise<void>;
  /** How the run ended, after its last event is delivered; undefined if the run or its thread was removed. */
  ended: Promise<RunEnd | undefined>;
  /** Delivers stored events first; also detects a run that has already ended. */
  replay(): void;
  /** Detects a run that has already ended, without delivering stored events. */
  check(): void;
  /** To be called once the expected run exists. */
  made(): void;
  close(): void;
}

export interface RunFollowOptions {
  onEvents?(events: RunEvent[]): void;
  after?: EventId | undefined;
  /** The run does not exist yet: a missing run is not taken as removed until `made` is called. */
  expected?: boolean;
}

/** Follows one run to its end. Close it when its reader disconnects. */
export function followRun(
  deps: EventSource & Pick<AgentDeps, 'poll'>,
  threadId: string,
  runId: string,
  { onEvents, after, expected = false }: RunFollowOptions = {},
): RunFollower {
  let resolve!: (end: RunEnd | undefined) => void;
  const ended = new Promise<RunEnd | undefined>((settle) => (resolve = settle));
  let unwatch: (() => void) | undefined;
  const checkEnded = async (replayed: boolean) => {
    if (!unwatch) return;
    try {
      const status = await findReadStatus(deps.db, runId);
      if (status === undefined) return resolve(undefined);
      if (!TERMINAL.has(status)) return;
      // Events may have been stored between the last read and the end.
      if (replayed) await follower.catchUp();
      resolve({ status });
    } catch {
      // The database is unavailable; the poll tries again.
    }
  };
  const follower = new EventFollower(
    deps,
    threadId,
    {
      onEvents: (_run, events) => onEvents?.(events),
      onEnd: (_run, end) => resolve(end),
      onGone: () => resolve(undefined),
      onGap: () => void checkEnded(true),
      // The database is unavailable.
      onFailure: () => void setTimeout(() => follower.replay(), AGAIN_MS).unref(),
    },
    { runId, after },
  );
  // The poll found an end whose notification was missed: deliver stored events before it.
  const made = () => void (unwatch ??= deps.poll.watch(runId, () => follower.replay()));
  if (!expected) made();
  return {
    ready: follower.ready,
    ended,
    replay: () => follower.replay(),
    check: () => void checkEnded(false),
    made,
    close() {
      unwatch?.();
      follower.close();
      resolve(undefined);
    },
  };
}
