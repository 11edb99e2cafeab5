import type { Duration } from '@temporalio/common';
import { patched, proxyActivities } from '@temporalio/workflow';
import type { UpkeepActivities } from './deployments/contracts.ts';
import type { CronActivities, MaintenanceActivities, SweepThreadsInput } from './runs/contracts.ts';
import type { TraceUpkeepActivities, UsageActivities } from './tracing/contracts.ts';

type Activities = UpkeepActivities &
  MaintenanceActivities &
  CronActivities &
  TraceUpkeepActivities &
  UsageActivities;

/** Activities whose worker died time out early. */
const activities = (startToCloseTimeout: Duration, maximumAttempts = 3) =>
  proxyActivities<Activities>({
    startToCloseTimeout,
    heartbeatTimeout: '15 seconds',
    retry: { maximumAttempts },
  });

const brief = activities('5 minutes');
const medium = activities('30 minutes');
const long = activities('2 hours', 5);
// Retried by the next sweep.
const frequent = activities('5 minutes', 2);

// Started by hand; workers run the same on timers (docs/decisions/0026).
export const sweepBuilds = (): Promise<object> => medium.sweepBuildFolders();
export const sweepRecords = (): Promise<object> => medium.sweepRecords();
export const sweepScale = (): Promise<object> => frequent.decideReplicas();
export const sweepUsage = (): Promise<object> => frequent.sweepUsage();
export const sweepOrphans = (): Promise<object> => brief.sweepOrphans();
export const sweepTraces = (): Promise<object> => long.sweepTraceWeeks();
export const foldRunMinutes = (): Promise<object> => medium.foldRunMinutes();
export const sweepThreads = (input: SweepThreadsInput): Promise<object> => long.expireThreads(input);
export const sweepItems = (): Promise<object> => long.expireItems();

/** Recovers revisions and deletions whose workflow was lost. */
export async function sweepRevisions(): Promise<void> {
  await frequent.recoverRevisions();
  await frequent.recoverRemovals();
}

/** Recovers runs whose workflow was lost, removes what ended runs left, then reconciles crons. */
export async function sweepRuns(): Promise<object> {
  const orphans = await brief.adoptOrphans();
  const expired = await brief.expireRows();
  // Expired threads take their crons with them.
  const crons = patched('crons') ? await brief.reconcileCrons() : undefined;
  return { ...orphans, expired, crons };
}

/** No longer started; ends executions that an older version left open. */
export const packRuns = (): Promise<object> => medium.packQuietRuns();
