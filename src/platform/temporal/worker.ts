import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { packageRoot } from '../package-root.ts';
import type { Temporal } from './connection.ts';

export interface WorkerOptions {
  taskQueue: string;
  activities: object;
  /** Activities at once. */
  concurrency: number;
  /** Workflows kept in memory between two of their events; without it the worker takes activities only. */
  cachedWorkflows?: number;
  /** How long activities may go on after a stop is asked for, in ms; then they are told to leave. */
  graceMs: number;
}

/** Made by `npm run build`: bundling at start would cost a second and a hundred megabytes. */
export const workflowBundle = fileURLToPath(new URL('dist/workflow-bundle.js', packageRoot));

/** Throws when the package was not built. */
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
      // Each takes a third of a megabyte; one that was let go is replayed from a short history.
      maxCachedWorkflows: options.cachedWorkflows,
    }),
    workflowTaskPollerBehavior: { type: 'autoscaling' },
    activityTaskPollerBehavior: { type: 'autoscaling' },
    // A thread whose worker was killed must not wait 10 s for it.
    stickyQueueScheduleToStartTimeout: '1s',
    // Heartbeats bring cancellations where the server does not push them.
    maxHeartbeatThrottleInterval: '500ms',
    defaultHeartbeatThrottleInterval: '500ms',
    shutdownGraceTime: options.graceMs,
    // A graph that ignores its signal must not keep the process.
    shutdownForceTime: options.graceMs + 10_000,
  });
}
