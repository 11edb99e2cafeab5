import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { packageRoot } from '../package-root.ts';
import type { Temporal } from './connection.ts';

export interface WorkerOptions {
  taskQueue: string;
  activities: object;
  /** Maximum concurrent activities. */
  concurrency: number;
  /** Workflow cache size. If undefined, the worker runs only activities. */
  cachedWorkflows?: number;
  /** Maximum concurrent local activities, and workflow tasks, which wait for them. */
  localConcurrency?: number;
  /** Time for activities to finish after shutdown begins, in ms, before they are cancelled. */
  graceMs: number;
}

/** Created by `npm run build`; bundling at startup would cost a second and 100 MB. */
export const workflowBundle = fileURLToPath(new URL('dist/workflow-bundle.js', packageRoot));

/** Throws if the package was not built. */
export async function createWorker(
  { connection, namespace }: Temporal,
  options: WorkerOptions,
): Promise<Worker> {
  if (!existsSync(workflowBundle)) throw new Error('The workflows are not built: run npm run build');
  return Worker.create({
    connection,
    namespace,
    taskQueue: options.taskQueue,
    activities: options.activities,
    maxConcurrentActivityTaskExecutions: options.concurrency,
    ...(options.cachedWorkflows && {
      workflowBundle: { codePath: workflowBundle },
      // Each takes a third of a megabyte. Evicted workflows have short histories to replay.
      maxCachedWorkflows: options.cachedWorkflows,
      ...(options.localConcurrency && {
        maxConcurrentLocalActivityExecutions: options.localConcurrency,
        // At least the two of the SDK: sticky and not.
        maxConcurrentWorkflowTaskExecutions: Math.max(
          2,
          Math.min(options.localConcurrency, options.cachedWorkflows),
        ),
      }),
    }),
    workflowTaskPollerBehavior: { type: 'autoscaling' },
    activityTaskPollerBehavior: { type: 'autoscaling' },
    // Avoids the default wait of 10 s for a killed worker.
    stickyQueueScheduleToStartTimeout: '1s',
    // Delivers cancellations by heartbeat on servers that do not push them.
    maxHeartbeatThrottleInterval: '500ms',
    defaultHeartbeatThrottleInterval: '500ms',
    shutdownGraceTime: options.graceMs,
    // A graph that ignores cancellation must not keep the process alive.
    shutdownForceTime: options.graceMs + 10_000,
  });
}
