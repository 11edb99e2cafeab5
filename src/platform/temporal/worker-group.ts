import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';

export interface WorkerGroup {
  /** Takes no more work; settles when what was begun is over, or its time is. Never throws. */
  stop(): Promise<void>;
}

/** Runs workers until they are told to stop. One that fails before ends the process, as a signal would. */
export function runWorkers(workers: Worker[], log: Logger): WorkerGroup {
  let isStopping = false;
  const run = async (worker: Worker) => {
    try {
      await worker.run();
    } catch (error) {
      // Work that does not leave is fenced, and the process may have requests to answer yet.
      if (isStopping)
        return log.warn(
          { err: error, task_queue: worker.options.taskQueue },
          'work did not leave in its time',
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
