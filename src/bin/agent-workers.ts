import { createCronActivities } from '../../activities/cron-activities.ts';
import { createMaintenanceActivities } from '../../activities/maintenance-activities.ts';
import { createRunActivities } from '../../activities/run-activities.ts';
import { createWebhookActivities } from '../../activities/webhook-activities.ts';
import type { AgentDeps } from '../agent-server/agent-deps.ts';
import type { Temporal } from '../platform/temporal/connection.ts';
import { createWorker } from '../platform/temporal/worker.ts';

/**
 * The workers of one process: for the deployment's threads, crons and sweeps, for its webhooks, and, where this process
 * is of a revision, for the runs that revision accepts. Runs of a revision that is gone come to the deployment's.
 */
export async function startAgentWorkers(
  deps: AgentDeps,
  temporal: Temporal,
): Promise<{ stop(): Promise<void> }> {
  const { config } = deps;
  const { taskQueue, runQueue } = deps.threads;
  const graceMs = config.SLIPWAY_GRACE_SECONDS * 1000;
  const runs = createRunActivities(deps);
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
      graceMs,
    }),
    createWorker(temporal, {
      taskQueue: `${taskQueue}-webhooks`,
      activities: createWebhookActivities(deps),
      concurrency: config.SLIPWAY_WEBHOOK_CONCURRENCY,
      graceMs,
    }),
    ...(runQueue === taskQueue
      ? []
      : [
          createWorker(temporal, {
            taskQueue: runQueue,
            activities: { executeRun: runs.executeRun },
            concurrency: config.SLIPWAY_CONCURRENCY,
            graceMs,
          }),
        ]),
  ]);
  const ended = Promise.all(workers.map((worker) => worker.run()));
  ended.catch((error: unknown) => {
    deps.log.fatal({ err: error }, 'worker failed');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  return {
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended.catch(() => {});
    },
  };
}
