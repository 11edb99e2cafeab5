import { createCronActivities } from '../../activities/runs/cron-activities.ts';
import { createMaintenanceActivities } from '../../activities/runs/maintenance-activities.ts';
import { createRunActivities } from '../../activities/runs/run-activities.ts';
import { createWebhookActivities } from '../../activities/runs/webhook-activities.ts';
import type { AgentDeps } from '../agent-server/agent-deps.ts';
import { Sweeps } from '../platform/sweeps/sweeps.ts';
import type { Temporal } from '../platform/temporal/connection.ts';
import { createWorker } from '../platform/temporal/worker.ts';
import { agentSweeps } from './agent-sweeps.ts';
import { runWorkers, type WorkerGroup } from '../platform/temporal/worker-group.ts';

/**
 * The workers of a process: for the deployment's threads and crons, for runs begun in a workflow task, for webhooks and, with
 * a revision's task queue, for that revision's runs; and its sweeps. Runs of a revision without workers move to the
 * deployment's queue.
 */
export async function startAgentWorkers(deps: AgentDeps, temporal: Temporal): Promise<WorkerGroup> {
  const { config } = deps;
  const { taskQueue, runQueue } = deps.threads;
  const graceMs = config.SLIPWAY_GRACE_SECONDS * 1000;
  const runs = createRunActivities(deps);
  const runQueues = [
    ...(config.SLIPWAY_LOCAL_RUN_MS > 0 ? [deps.running.taskQueue] : []),
    ...(runQueue === taskQueue ? [] : [runQueue]),
  ];
  const workers = await Promise.all([
    createWorker(temporal, {
      taskQueue,
      activities: {
        ...runs,
        ...createCronActivities(deps),
        ...createMaintenanceActivities(deps),
      },
      concurrency: config.SLIPWAY_CONCURRENCY,
      cachedWorkflows: config.SLIPWAY_CACHED_WORKFLOWS,
      localConcurrency: config.SLIPWAY_CONCURRENCY,
      graceMs,
    }),
    createWorker(temporal, {
      taskQueue: `${taskQueue}-webhooks`,
      activities: createWebhookActivities(deps),
      concurrency: config.SLIPWAY_WEBHOOK_CONCURRENCY,
      graceMs,
    }),
    ...runQueues.map((queue) =>
      createWorker(temporal, {
        taskQueue: queue,
        activities: { executeRun: runs.executeRun },
        concurrency: config.SLIPWAY_CONCURRENCY,
        graceMs,
      }),
    ),
  ]);
  const sweeps = new Sweeps(deps.db, 'sweep', agentSweeps(deps), deps.log);
  await sweeps.start();
  const group = runWorkers(workers, deps.log);
  return {
    async stop() {
      sweeps.stop();
      await group.stop();
    },
  };
}
