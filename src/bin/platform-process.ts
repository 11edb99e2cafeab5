import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { createBuildActivities } from '../../activities/build-activities.ts';
import { createCommitStatusActivities } from '../../activities/commit-status-activities.ts';
import { createRecordActivities } from '../../activities/record-activities.ts';
import { createCanaryActivities } from '../../activities/canary-activities.ts';
import { createReviseActivities } from '../../activities/revise-activities.ts';
import { createRevisionActivities } from '../../activities/revision-activities.ts';
import { createRevisionUpkeepActivities } from '../../activities/revision-upkeep-activities.ts';
import { identification } from '../control-plane/access/authenticate.ts';
import { createScalingActivities } from '../../activities/scaling-activities.ts';
import { ensureFirstApiKey, type FirstApiKey } from '../control-plane/access/first-api-key.ts';
import { hasRole } from '../control-plane/access/principal.ts';
import { CanaryWork } from '../control-plane/canaries/canary-work.ts';
import type { ControlPlaneDeps } from '../control-plane/control-plane-deps.ts';
import { listen } from '../control-plane/control-plane-server.ts';
import { Gateway } from '../control-plane/gateway/gateway.ts';
import { RoutingTable } from '../control-plane/gateway/routing-table.ts';
import { TrafficCounts } from '../control-plane/gateway/traffic-counts.ts';
import { TrafficLedger } from '../control-plane/gateway/traffic-ledger.ts';
import { DeploymentWorkflows } from '../control-plane/revisions/deployment-workflows.ts';
import { RevisionWork } from '../control-plane/revisions/revision-work.ts';
import { Demand } from '../control-plane/scaling/demand.ts';
import { Scaler } from '../control-plane/scaling/scaler.ts';
import { SealedBox } from '../control-plane/secrets/sealed-box.ts';
import { connectionConfig, openDatabase } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { Notifications } from '../platform/db/notifications.ts';
import { packageRoot } from '../platform/package-root.ts';
import { connectTemporal, type Temporal } from '../platform/temporal/connection.ts';
import { installTemporalRuntime } from '../platform/temporal/runtime.ts';
import { createWorker } from '../platform/temporal/worker.ts';
import { tracingService } from '../tracing/tracing-server.ts';
import type { Role } from './agent-process.ts';
import { type DataPlaneDeps, openDataPlane } from './data-plane.ts';
import type { PlatformSettings } from './platform-settings.ts';
import { ensureSweep } from './sweep-schedules.ts';

export interface PlatformProcessOptions {
  config: DataPlaneDeps['config'];
  /** Of the sealed box: the first seals, all open. */
  keys: string[];
  role: Role;
  log: Logger;
  openDataPlane?: typeof openDataPlane;
}

export interface PlatformProcess {
  /** Where API and gateway answer; undefined for a worker. */
  url: string | undefined;
  /** Of a process that serves the API. */
  apiKey: FirstApiKey | undefined;
  /** Agents go on, unless they are to end with this process. */
  stop(how?: { withAgents: boolean }): Promise<void>;
}

// Builds and starts that are cut short are taken up by another worker.
const STOP_MS = 2_000;
const BUILD_SWEEP_SECONDS = 3_600;
const RECORD_SWEEP_SECONDS = 3_600;
const ACTIVITIES = 100;
const CACHED_WORKFLOWS = 200;

/** Brings the platform's schemas to this version. Returns the names of what was applied. */
export async function migratePlatform(databaseUrl: string): Promise<string[]> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const applied: string[] = [];
    for (const domain of ['control-plane', 'tracing'])
      applied.push(...(await migrate(db, domain, new URL(`migrations/${domain}/`, packageRoot))));
    return applied;
  } finally {
    await db.end();
  }
}

/** Joins the parts of one platform process: API and gateway, workers, or both. */
export async function startPlatformProcess(options: PlatformProcessOptions): Promise<PlatformProcess> {
  const { config, role, log } = options;
  installTemporalRuntime(log);
  await migratePlatform(config.DATABASE_URL);
  const database = {
    url: config.DATABASE_URL,
    poolSize: config.SLIPWAY_DATABASE_POOL,
    statementTimeoutMs: config.SLIPWAY_STATEMENT_TIMEOUT_SECONDS * 1000,
    onError: (error: Error) => log.warn({ err: error }, 'idle database connection lost'),
  };
  const db = openDatabase(database);
  const temporal = await connectTemporal({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
  });
  const taskQueue = `slipway-${config.SLIPWAY_PLATFORM}`;
  const buildQueue = `${taskQueue}-builds`;
  const { client } = temporal;
  const deps: DataPlaneDeps = {
    config,
    temporal: client,
    log,
    db,
    box: new SealedBox(options.keys),
    workflows: new DeploymentWorkflows({ client, taskQueue, buildQueue, deadlineMs: 10_000 }),
  };
  const work =
    role === 'api'
      ? undefined
      : await startWorkers(
          deps,
          temporal,
          { taskQueue, buildQueue, listening: connectionConfig(database) },
          options,
        );
  await ensureSweep(client, config.SLIPWAY_PLATFORM, taskQueue, {
    name: 'sweep',
    workflowType: 'sweepRevisions',
    everySeconds: config.SLIPWAY_SWEEP_SECONDS,
    timeout: '5 minutes',
  });
  await ensureSweep(client, config.SLIPWAY_PLATFORM, taskQueue, {
    name: 'sweep-scale',
    workflowType: 'sweepScale',
    everySeconds: config.SLIPWAY_SCALE_SECONDS,
    timeout: '5 minutes',
  });
  await ensureSweep(client, config.SLIPWAY_PLATFORM, taskQueue, {
    name: 'sweep-builds',
    workflowType: 'sweepBuilds',
    everySeconds: BUILD_SWEEP_SECONDS,
    timeout: '3 hours',
  });
  await ensureSweep(client, config.SLIPWAY_PLATFORM, taskQueue, {
    name: 'sweep-records',
    workflowType: 'sweepRecords',
    everySeconds: RECORD_SWEEP_SECONDS,
    timeout: '3 hours',
  });
  const http = role === 'worker' ? undefined : await startHttp(deps, config, connectionConfig(database));
  return {
    url: http?.url,
    apiKey: http?.apiKey,
    async stop(how) {
      await http?.stop(config.SLIPWAY_GRACE_SECONDS * 1000);
      await work?.stop(how);
      await db.end();
      await temporal.connection.close();
    },
  };
}

async function startHttp(
  deps: ControlPlaneDeps,
  config: PlatformSettings,
  connection: ReturnType<typeof connectionConfig>,
) {
  const { db, box, log } = deps;
  const apiKey = await ensureFirstApiKey(db, {
    configured: config.SLIPWAY_API_KEY,
    dataDir: config.SLIPWAY_DATA_DIR,
  });
  const notifications = new Notifications(connection, log);
  await notifications.open();
  const routes = new RoutingTable(db, notifications, box);
  await routes.ready;
  const traffic = new TrafficCounts();
  const ledger = new TrafficLedger({
    db,
    log,
    counts: traffic,
    everyMs: config.SLIPWAY_TRAFFIC_FLUSH_SECONDS * 1000,
    days: config.SLIPWAY_TRAFFIC_DAYS,
  });
  const demand = new Demand(db, log);
  const gateway = new Gateway({
    routes,
    demand,
    traffic,
    domain: config.SLIPWAY_GATEWAY_DOMAIN,
    holdMs: config.SLIPWAY_GATEWAY_HOLD_SECONDS * 1000,
    log,
  });
  const { version } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8')) as {
    version: string;
  };
  const identify = identification(deps);
  const tracing = tracingService(
    {
      config,
      log,
      db,
      box: deps.box,
      authenticate: async (ctx) => {
        const principal = await identify(ctx);
        return {
          tenant_id: principal.tenant_id,
          name: principal.name,
          writes: hasRole(principal, 'deployer'),
        };
      },
    },
    { bodyLimit: config.SLIPWAY_BODY_LIMIT_BYTES },
  );
  const server = await listen(deps, gateway, {
    metrics: traffic.registry,
    host: config.HOST,
    port: config.PORT,
    keepAliveMs: config.SLIPWAY_HTTP_KEEP_ALIVE_SECONDS * 1000,
    receiveMs: config.SLIPWAY_RECEIVE_SECONDS * 1000,
    bodyLimit: config.SLIPWAY_BODY_LIMIT_BYTES,
    version,
    services: [tracing],
  });
  return {
    url: server.url,
    apiKey,
    async stop(graceMs: number) {
      await server.stop(graceMs);
      await ledger.stop();
      demand.close();
      await notifications.close();
    },
  };
}

async function startWorkers(
  deps: DataPlaneDeps,
  temporal: Temporal,
  about: { taskQueue: string; buildQueue: string; listening: ReturnType<typeof connectionConfig> },
  options: PlatformProcessOptions,
) {
  const { db, log } = deps;
  const { taskQueue, buildQueue, listening } = about;
  const plane = await (options.openDataPlane ?? openDataPlane)(deps);
  const notifications = new Notifications(listening, log);
  await notifications.open();
  const scaler = new Scaler({ db, log, driver: plane.driver, notifications });
  scaler.start();
  const work = new RevisionWork({ ...deps, ...plane });
  const activities = {
    ...createRevisionActivities(work),
    ...createCanaryActivities(new CanaryWork(deps)),
    ...createRevisionUpkeepActivities(deps),
    ...createReviseActivities(deps),
    ...createBuildActivities(deps),
    ...createCommitStatusActivities(deps),
    ...createRecordActivities(deps),
    ...createScalingActivities({ ...deps, databaseOf: (id) => plane.databaseOf(id) }),
  };
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
  const ended = Promise.all(workers.map((worker) => worker.run()));
  ended.catch((error: unknown) => {
    log.fatal({ err: error }, 'worker failed');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  return {
    async stop(how?: { withAgents: boolean }) {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended.catch(() => {});
      await scaler.stop();
      await notifications.close();
      await plane.stop(how);
    },
  };
}
