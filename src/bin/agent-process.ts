import { type Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createMaintenanceActivities } from '../../activities/maintenance-activities.ts';
import { createRunActivities } from '../../activities/run-activities.ts';
import type { AgentDeps } from '../agent-server/agent-deps.ts';
import { listen } from '../agent-server/agent-server.ts';
import type { AgentSettings } from '../agent-server/agent-settings.ts';
import { syncSystemAssistants } from '../agent-server/assistants/system-assistants.ts';
import { StatusPoll } from '../agent-server/events/status-poll.ts';
import type { Project } from '../agent-server/graphs/project.ts';
import { Metrics } from '../agent-server/meta/metrics.ts';
import { RunningRuns } from '../agent-server/runs/running-runs.ts';
import { ThreadWorkflows } from '../agent-server/runs/thread-workflows.ts';
import { createStore } from '../agent-server/store/store-service.ts';
import { connectionConfig, openDatabase } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { Notifications } from '../platform/db/notifications.ts';
import { packageRoot } from '../platform/package-root.ts';
import { connectTemporal } from '../platform/temporal/connection.ts';
import { installTemporalRuntime } from '../platform/temporal/runtime.ts';
import { registerSearchAttributes } from '../platform/temporal/search-attributes.ts';
import { createWorker } from '../platform/temporal/worker.ts';
import { ensureSweep } from './sweep-schedule.ts';

export type Role = 'all' | 'api' | 'worker';

export interface AgentProcessOptions {
  config: AgentSettings & { DATABASE_URL: string; TEMPORAL_ADDRESS: string };
  project: Project;
  role: Role;
  log: Logger;
}

export interface AgentProcess {
  /** Where the API answers; undefined for a worker. */
  url: string | undefined;
  /** Stops taking runs, lets running ones finish up to the grace period, then hands the rest back. */
  stop(): Promise<void>;
}

const migrations = new URL('migrations/agent-server/', packageRoot);

export async function migrateAgentServer(databaseUrl: string): Promise<string[]> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    return await migrate(db, 'agent-server', migrations);
  } finally {
    await db.end();
  }
}

/** Joins the parts of one agent server process: API, worker, or both. */
export async function startAgentProcess({
  config,
  project,
  role,
  log,
}: AgentProcessOptions): Promise<AgentProcess> {
  installTemporalRuntime(log);
  await migrateAgentServer(config.DATABASE_URL);
  const database = {
    url: config.DATABASE_URL,
    poolSize: config.SLIPWAY_DATABASE_POOL,
    statementTimeoutMs: config.SLIPWAY_STATEMENT_TIMEOUT_SECONDS * 1000,
    onError: (error: Error) => log.warn({ err: error }, 'idle database connection lost'),
  };
  const db = openDatabase(database);
  const notifications = new Notifications(connectionConfig(database), log);
  await notifications.open();
  await syncSystemAssistants(db, [...project.graphs.values()]);

  const temporal = await connectTemporal({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
  });
  const taskQueue = config.SLIPWAY_TASK_QUEUE ?? `slipway-${config.SLIPWAY_DEPLOYMENT}`;
  const searchAttributes = await registerSearchAttributes(temporal);
  if (!searchAttributes)
    log.warn('the namespace has no Slipway search attributes; runs cannot be searched for there');
  const deps: AgentDeps = {
    config,
    log,
    db,
    notifications,
    project,
    temporal: temporal.client,
    metrics: new Metrics(),
    poll: new StatusPoll(db, config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000, log),
    running: new RunningRuns(notifications),
    store: await createStore({ db, project, log, env: process.env }),
    threads: new ThreadWorkflows({
      client: temporal.client,
      deployment: config.SLIPWAY_DEPLOYMENT,
      taskQueue,
      lingerMs: config.SLIPWAY_THREAD_LINGER_SECONDS * 1000,
      heartbeatTimeoutMs: config.SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS * 1000,
      searchAttributes,
      deadlineMs: 10_000,
    }),
  };
  const work = role === 'api' ? undefined : await startWorker(deps, temporal, taskQueue);
  await ensureSweep(temporal.client, config, taskQueue);
  const http = role === 'worker' ? undefined : await listen(deps);
  return {
    url: http?.url,
    async stop() {
      // Idle keep-alive connections would hold the server open; streams go on until their runs end.
      http?.server.close();
      http?.server.closeIdleConnections();
      await work?.stop();
      http?.server.closeAllConnections();
      deps.running.close();
      deps.poll.close();
      await notifications.close();
      await db.end();
      await temporal.connection.close();
    },
  };
}

async function startWorker(
  deps: AgentDeps,
  temporal: Awaited<ReturnType<typeof connectTemporal>>,
  taskQueue: string,
) {
  const worker: Worker = await createWorker(temporal, {
    taskQueue,
    activities: { ...createRunActivities(deps), ...createMaintenanceActivities(deps) },
    concurrency: deps.config.SLIPWAY_CONCURRENCY,
    cachedWorkflows: deps.config.SLIPWAY_CACHED_WORKFLOWS,
    graceMs: deps.config.SLIPWAY_GRACE_SECONDS * 1000,
  });
  const ended = worker.run();
  ended.catch((error: unknown) => {
    deps.log.fatal({ err: error }, 'worker failed');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  return {
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended.catch(() => {});
    },
  };
}
