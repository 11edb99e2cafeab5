import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { isDatabaseAway } from '../../src/platform/db/database.ts';
import { type RevisionActivities, WATCH_SLACK_MS } from '../../workflows/deployments/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { activityFailure, toActivityFailure } from './activity-failure.ts';
import type { RevisionWork } from './revision-work.ts';

const HEARTBEAT_MS = 1_000;
const DATABASE_RETRY_MS = 500;

export const createRevisionActivities = (work: RevisionWork): RevisionActivities => ({
  planRevision: ({ revision_id }) => toActivityFailure(work.plan(revision_id)),

  stepRevision: ({ revision_id, status, message, deployment_id }) =>
    toActivityFailure(work.step(revision_id, status, message, deployment_id)),

  approveRevision: ({ revision_id }) => toActivityFailure(work.approve(revision_id)),

  buildRevision: ({ revision_id }) => watched((signal) => work.build(revision_id, signal)),

  deployRevision: ({ revision_id }) => watched((signal) => work.deploy(revision_id, signal)),

  cutOver: ({ revision_id, deployment_id }) => toActivityFailure(work.cutOver(deployment_id, revision_id)),

  drainRevision: ({ revision_id, timeout_ms }) =>
    watched((signal) => work.drain(revision_id, timeout_ms, signal)),

  stopRevision: ({ revision_id, deployment_id }) =>
    withHeartbeat(() => toActivityFailure(work.stop(revision_id, deployment_id)), HEARTBEAT_MS),

  isBeingDeleted: ({ deployment_id }) => toActivityFailure(work.isBeingDeleted(deployment_id)),

  eraseDeployment: ({ deployment_id }) =>
    withHeartbeat(() => toActivityFailure(work.erase(deployment_id)), HEARTBEAT_MS),
});

/** Heartbeats, and aborts the work shortly before its Temporal timeout, so that it fails without retry. */
async function watched(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { cancellationSignal, info } = Context.current();
  const timeout = AbortSignal.timeout(Math.max(info.startToCloseTimeoutMs - WATCH_SLACK_MS, 1));
  try {
    const signal = AbortSignal.any([cancellationSignal, timeout]);
    await withHeartbeat(
      () => toActivityFailure(waitingForDatabase(() => work(signal), signal)),
      HEARTBEAT_MS,
    );
  } catch (error) {
    cancellationSignal.throwIfAborted();
    throw timeout.aborted ? activityFailure('timed out', 'TookTooLong', true) : error;
  }
}

/** Waits out database outages so that they don't consume attempts. */
async function waitingForDatabase<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || signal.aborted) throw error;
      await sleep(DATABASE_RETRY_MS, undefined, { signal });
    }
  }
}
