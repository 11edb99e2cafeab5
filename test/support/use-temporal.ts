import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { workflowBundle } from '../../src/platform/temporal/worker.ts';

export interface TestTemporal {
  readonly client: Client;
  /** Starts a worker with these activities on the given task queue or a new one. Returns its name. */
  startWorker(activities: object, taskQueue?: string): Promise<string>;
}

let installed = false;

/** The test run's Temporal server; workers end after each test. */
export function useTemporal(): TestTemporal {
  let connection: NativeConnection;
  let client: Client;
  const workers: { worker: Worker; ended: Promise<void> }[] = [];
  beforeAll(async () => {
    if (!installed) Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
    installed = true;
    connection = await NativeConnection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
    client = new Client({ connection });
  });
  afterEach(async () => {
    for (const { worker } of workers) worker.shutdown();
    await Promise.all(workers.splice(0).map(({ ended }) => ended));
  });
  afterAll(() => connection.close());
  return {
    get client() {
      return client;
    },
    async startWorker(activities, taskQueue = `test-${randomUUID()}`) {
      const worker = await Worker.create({
        connection,
        taskQueue,
        activities,
        workflowBundle: { codePath: workflowBundle },
        maxHeartbeatThrottleInterval: '100ms',
      });
      workers.push({ worker, ended: worker.run() });
      return taskQueue;
    },
  };
}
