import type { AgentDeps } from '../agent-deps.ts';
import { EventFollower, type EventSource } from './event-follower.ts';
import type { RunEnd, RunEvent } from './event-frame.ts';
import type { EventId } from './event-id.ts';
import { TERMINAL } from '../runs/run.ts';
import { findReadStatus } from '../runs/in-flight-repository.ts';

const AGAIN_MS = 250;

export interface RunFollower {
  /** Settles when nothing that happens to the run from now on will be missed. */
  ready: Promise<void>;
  /** How the run ended; undefined when it or its thread was removed. Its last event has been delivered by then. */
  ended: Promise<RunEnd | undefined>;
  /** Starts with what is stored, and notices a run that had ended before. */
  replay(): void;
  /** Notices a run that had ended before, without what is stored. */
  check(): void;
  /** The run that was expected is there. */
  made(): void;
  close(): void;
}

export interface RunFollowOptions {
  onEvents?(events: RunEvent[]): void;
  after?: EventId | undefined;
  /** The run is about to be made: that it is not there means nothing until `made` is called. */
  expected?: boolean;
}

/** Follows one run to its end. Close it when its reader is gone. */
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
      // What was stored after the last read and before the end.
      if (replayed) await follower.catchUp();
      resolve({ status });
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
      onGap: () => void checkEnded(true),
      // The database is away.
      onFailure: () => void setTimeout(() => follower.replay(), AGAIN_MS).unref(),
    },
    { runId, after },
  );
  // An end that was not heard: let what is stored come first.
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
