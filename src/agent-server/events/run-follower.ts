import type { AgentDeps } from '../agent-deps.ts';
import { EventFollower } from './event-follower.ts';
import type { RunEnd, RunEvent } from './event-frame.ts';
import type { EventId } from './event-id.ts';
import { TERMINAL } from '../runs/run.ts';
import { findRunStatus } from '../runs/run-repository.ts';

export interface RunFollower {
  /** Settles when nothing that happens to the run from now on will be missed. */
  ready: Promise<void>;
  /** How the run ended; undefined when it or its thread was removed. Its last event has been delivered by then. */
  ended: Promise<RunEnd | undefined>;
  /** Starts with what is stored, and notices a run that had ended before. */
  replay(): void;
  /** Notices a run that had ended before, without what is stored. */
  check(): void;
  close(): void;
}

export interface RunFollowOptions {
  onEvents?(events: RunEvent[]): void;
  after?: EventId | undefined;
}

/** Follows one run to its end. Close it when its reader is gone. */
export function followRun(
  deps: Pick<AgentDeps, 'db' | 'notifications' | 'poll'>,
  threadId: string,
  runId: string,
  { onEvents, after }: RunFollowOptions = {},
): RunFollower {
  let resolve!: (end: RunEnd | undefined) => void;
  const ended = new Promise<RunEnd | undefined>((settle) => (resolve = settle));
  const checkEnded = async () => {
    try {
      const status = await findRunStatus(deps.db, runId);
      if (status === undefined) resolve(undefined);
      else if (TERMINAL.has(status)) resolve({ status });
    } catch {
      // The database is away; the poll asks again.
    }
  };
  const follower = new EventFollower(
    deps,
    threadId,
    {
      onEvents: (_run, events) => onEvents?.(events),
      onEnd: (_run, end) => resolve(end),
      onGone: () => resolve(undefined),
      onGap: () => void checkEnded(),
      // The database is away: the poll replays when it is back.
      onFailure: () => {},
    },
    { runId, after },
  );
  // An end that was not heard: let what is stored come first.
  const unwatch = deps.poll.watch(runId, () => follower.replay());
  return {
    ready: follower.ready,
    ended,
    replay: () => follower.replay(),
    check: () => void checkEnded(),
    close() {
      unwatch();
      follower.close();
      resolve(undefined);
    },
  };
}
