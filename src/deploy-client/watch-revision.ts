import { setTimeout } from 'node:timers/promises';
import { EXIT, type Outcome, outcomeOf } from './outcome.ts';
import type { PlatformApi } from './platform-api.ts';
import type { Report, Result } from './progress.ts';
import { type Deployment, deploymentPath, type Revision, revisionPath } from './records.ts';
import { type Phase, RevisionLogs } from './revision-logs.ts';

// A rollback takes a second, a build minutes.
const FIRST_POLL_MS = 200;
const POLL_MS = 1_000;
const LAST_LINES = 30;
const BUILDS = new Set(['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING']);

export interface Watched {
  deployment_id: string;
  revision_id: string;
  /** Maximum time to watch, in ms. */
  deadlineMs: number;
  /** Whether to print log lines as they arrive; otherwise only the last lines of a failure. */
  followsLogs: boolean;
  report: Report;
  /** Interrupts the revision, which is still watched until it has stopped. */
  cancel?: AbortSignal | undefined;
}

/** Watches a revision until it ends or the deadline. Reports its steps, logs and result. */
export async function watchRevision(api: PlatformApi, watched: Watched): Promise<Result> {
  const { deployment_id, revision_id, deadlineMs, report, cancel } = watched;
  const path = revisionPath(deployment_id, revision_id);
  const began = Date.now();
  const seconds = () => (Date.now() - began) / 1000;
  const logs = {
    build: new RevisionLogs(api, watched, 'build'),
    deploy: new RevisionLogs(api, watched, 'deploy'),
  };
  const follow = async (phase: Phase) => {
    for await (const line of logs[phase].read()) report({ event: 'log', phase, ...line });
  };
  let before = '';
  let building = true;
  let isStopped = false;
  for (;;) {
    // Read before the logs, which are complete once the status is final.
    const revision = await api.get<Revision>(path);
    const { status, status_message } = revision;
    if (watched.followsLogs) {
      if (building) await follow('build');
      building = BUILDS.has(status);
      if (!building) await follow('deploy');
    }
    const now = `${status} ${status_message}`;
    if (now !== before)
      report({ event: 'status_change', status, message: status_message, seconds: seconds() });
    before = now;
    const outcome = outcomeOf(status) ?? (seconds() * 1000 > deadlineMs ? 'deadline' : undefined);
    if (outcome) {
      if (outcome === 'failed' && !watched.followsLogs) await reportLast(logs, report, status);
      return { ...(await resultOf(api, revision, outcome)), seconds: seconds() };
    }
    if (cancel?.aborted && !isStopped) {
      isStopped = true;
      report({ event: 'info', message: `Interrupting revision ${revision_id}` });
      await api.post(`${path}/interrupt`);
      continue;
    }
    const pause = Math.min(POLL_MS, FIRST_POLL_MS + seconds() * 100);
    await setTimeout(pause, undefined, { signal: isStopped ? undefined : cancel }).catch(() => {});
  }
}

/** The final report of a command. */
export async function resultOf(
  api: PlatformApi,
  { id, deployment_id, status, status_message }: Revision,
  outcome: Outcome | 'accepted',
): Promise<Result> {
  const { source_config } = await api.get<Deployment>(deploymentPath(deployment_id));
  return {
    event: 'result',
    outcome,
    exit_code: outcome === 'accepted' ? 0 : EXIT[outcome],
    deployment_id,
    revision_id: id,
    status,
    status_message,
    url: source_config.custom_url,
    seconds: 0,
  };
}

async function reportLast(logs: Record<Phase, RevisionLogs>, report: Report, status: string): Promise<void> {
  const phase = status === 'DEPLOY_FAILED' ? 'deploy' : 'build';
  for (const line of await logs[phase].last(LAST_LINES)) report({ event: 'log', phase, ...line });
}
