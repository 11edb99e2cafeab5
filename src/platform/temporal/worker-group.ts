import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';

export interface WorkerGroup {
  /** Stops polling and settles when active work has finished or its grace period is over. Never throws. */
  stop(): Promise<void>;
}

/** Runs workers until they are stopped. An earlier failure ends the process like a signal. */
export function runWorkers(workers: Worker[], log: Logger): WorkerGroup {
  let isStopping = false;
  const run = async (worker: Worker) => {
    try {
      await worker.run();
    } catch (error) {
      // Work that does not stop is fenced, and the process may still have requests to answer.
      if (isStopping)
        return log.warn(
          { err: error, task_queue: worker.options.taskQueue },
          'work did not stop within the grace period',
        );
      log.fatal({ err: error }, 'worker failed');
      process.exitCode = 1;
      process.kill(process.pid, 'SIGTERM');
    }
  };
  const ended = Promise.all(workers.map(run));
  return {
    async stop() {
      isStopping = true;
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}
