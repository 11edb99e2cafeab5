import { createCanaryActivities } from '../../activities/deployments/canary-activities.ts';
import { createCommitStatusActivities } from '../../activities/deployments/commit-status-activities.ts';
import { createReviseActivities } from '../../activities/deployments/revise-activities.ts';
import { createRevisionActivities } from '../../activities/deployments/revision-activities.ts';
import { createUpkeepActivities } from '../../activities/deployments/upkeep-activities.ts';
import { createDeletionActivities } from '../../activities/tracing/deletion-activities.ts';
import { createUsageActivities } from '../../activities/tracing/usage-activities.ts';
import { createTraceActivities } from '../../activities/tracing/trace-activities.ts';
import { CanaryWork } from '../../activities/deployments/canary-work.ts';
import { RevisionWork } from '../../activities/deployments/revision-work.ts';
import { Scaler } from '../control-plane/drivers/scaler.ts';
import type { connectionConfig } from '../platform/db/database.ts';
import { Notifications } from '../platform/db/notifications.ts';
import { Sweeps } from '../platform/sweeps/sweeps.ts';
import type { Temporal } from '../platform/temporal/connection.ts';
import { createWorker } from '../platform/temporal/worker.ts';
import { runWorkers } from '../platform/temporal/worker-group.ts';
import { type DataPlaneDeps, openDataPlane } from './data-plane.ts';
import { platformSweeps } from './platform-sweeps.ts';

// Another worker resumes interrupted builds and starts.
const STOP_MS = 2_000;
const ACTIVITIES = 100;
const CACHED_WORKFLOWS = 200;

/** Starts a platform process's workers: its workflows, and the revisions of its data plane. */
export async function startWorkers(
  deps: DataPlaneDeps,
  temporal: Temporal,
  about: { taskQueue: string; buildQueue: string; listening: ReturnType<typeof connectionConfig> },
  open = openDataPlane,
) {
  const { db, log } = deps;
  const { taskQueue, buildQueue, listening } = about;
  const plane = await open(deps);
  const notifications = new Notifications(listening, log);
  await notifications.open();
  const scaler = new Scaler({ db, log, driver: plane.driver, notifications });
  scaler.start();
  const work = new RevisionWork({ ...deps, ...plane });
  const activities = {
    ...createRevisionActivities(work),
    ...createCanaryActivities(new CanaryWork(deps)),
    ...createReviseActivities(deps),
    ...createCommitStatusActivities(deps),
    ...createUpkeepActivities({ ...deps, databaseOf: (id) => plane.databaseOf(id) }),
    ...createDeletionActivities(deps),
    ...createUsageActivities(deps),
    ...createTraceActivities(deps),
  };
  const sweeps = new Sweeps(db, 'control_plane.sweep', platformSweeps(deps, activities), log);
  await sweeps.start();
  const shared = { activities, graceMs: STOP_MS };
  const workers = await Promise.all([
    createWorker(temporal, {
      ...shared,
      taskQueue,
      concurrency: ACTIVITIES,
      cachedWorkflows: CACHED_WORKFLOWS,
    }),
    createWorker(temporal, { ...shared, taskQueue: buildQueue, concurrency: deps.config.SLIPWAY_BUILDS }),
  ]);
  const group = runWorkers(workers, log);
  return {
    async stop(how?: { withAgents: boolean }) {
      sweeps.stop();
      await group.stop();
      await scaler.stop();
      await notifications.close();
      await plane.stop(how);
    },
  };
}
