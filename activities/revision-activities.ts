import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, Context, heartbeat } from '@temporalio/activity';
import { isDatabaseAway } from '../src/platform/db/database.ts';
import { PublicError } from '../src/platform/errors.ts';
import type { RevisionWork } from '../src/control-plane/revisions/revision-work.ts';
import { type RevisionSteps, WATCH_SLACK_MS } from '../workflows/revision-contracts.ts';

const BEAT_MS = 1_000;
const DATABASE_MS = 500;

export type RevisionActivities = ReturnType<typeof createRevisionActivities>;

interface Named {
  revision_id: string;
}

export const createRevisionActivities = (work: RevisionWork) => ({
  /** What lies before the revision. */
  planRevision: ({ revision_id }: Named): Promise<RevisionSteps> => redactFailure(work.plan(revision_id)),

  /** Takes a legal step; `FAILED` is the failure of wherever it is. Returns the state it is in then. */
  stepRevision: ({
    revision_id,
    status,
    message,
    deployment_id,
  }: Named & { status: string; message?: string; deployment_id?: string }): Promise<string> =>
    redactFailure(work.step(revision_id, status, message, deployment_id)),

  /** Records that somebody let it go on. */
  approveRevision: ({ revision_id }: Named & { by?: string }): Promise<void> =>
    redactFailure(work.approve(revision_id)),

  buildRevision: ({ revision_id }: Named): Promise<void> =>
    watched((signal) => work.build(revision_id, signal)),

  deployRevision: ({ revision_id }: Named): Promise<void> =>
    watched((signal) => work.deploy(revision_id, signal)),

  /** Moves traffic to the revision; returns the one that served before. */
  cutOver: ({ revision_id, deployment_id }: Named & { deployment_id: string }): Promise<string | null> =>
    redactFailure(work.cutOver(deployment_id, revision_id)),

  drainRevision: ({ revision_id, timeout_ms }: Named & { timeout_ms: number }): Promise<void> =>
    watched((signal) => work.drain(revision_id, timeout_ms, signal)),

  stopRevision: ({ revision_id, deployment_id }: Named & { deployment_id?: string }): Promise<void> =>
    withHeartbeat(() => redactFailure(work.stop(revision_id, deployment_id))),

  isBeingDeleted: ({ deployment_id }: { deployment_id: string }): Promise<boolean> =>
    redactFailure(work.isBeingDeleted(deployment_id)),

  eraseDeployment: ({ deployment_id }: { deployment_id: string }): Promise<void> =>
    withHeartbeat(() => redactFailure(work.erase(deployment_id))),
});

/** Beats while it works, and ends it when its time is over: that is not tried again. */
async function watched(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { cancellationSignal, info } = Context.current();
  const late = AbortSignal.timeout(Math.max(info.startToCloseTimeoutMs - WATCH_SLACK_MS, 1));
  try {
    const signal = AbortSignal.any([cancellationSignal, late]);
    await withHeartbeat(() => redactFailure(withDatabase(() => work(signal), signal)));
  } catch (error) {
    cancellationSignal.throwIfAborted();
    throw late.aborted ? failure('it took too long', 'TookTooLong', true) : error;
  }
}

/** Attempts are counted, and a database that is away for a while is nothing a revision should fail of: it is waited for. */
async function withDatabase<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || signal.aborted) throw error;
      await sleep(DATABASE_MS, undefined, { signal });
    }
  }
}

/** Another worker takes over when the heartbeats stop. */
async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(heartbeat, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}

/**
 * A public failure keeps its message and is final. Any other failure is retried, and its message stays out of the history:
 * it may name hosts or secrets.
 */
export async function redactFailure<T>(work: Promise<T>): Promise<T> {
  const { cancellationSignal, log } = Context.current();
  try {
    return await work;
  } catch (error) {
    cancellationSignal.throwIfAborted();
    if (error instanceof PublicError && error.status < 500) throw failure(error.message, error.name, true);
    log.warn('a step of a revision failed; it is tried again', { error });
    throw failure('it failed', 'StepFailed', false);
  }
}

function failure(message: string, type: string, nonRetryable: boolean): ApplicationFailure {
  const made = ApplicationFailure.create({ message, type, nonRetryable });
  made.stack = '';
  return made;
}
