import type { Logger } from 'pino';
import type { FirstApiKey } from '../control-plane/access/first-api-key.ts';
import { DeploymentWorkflows } from '../control-plane/deployment-workflows.ts';
import { SealedBox } from '../control-plane/secrets/sealed-box.ts';
import { connectionConfig, openDatabase } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { packageRoot } from '../platform/package-root.ts';
import { connectTemporal, temporalAddress } from '../platform/temporal/connection.ts';
import { installTemporalRuntime } from '../platform/temporal/runtime.ts';
import type { Role } from './agent-process.ts';
import type { DataPlaneDeps, openDataPlane } from './data-plane.ts';
import { PLATFORM_SCHEDULES, removeSchedules } from './former-schedules.ts';

export interface PlatformProcessOptions {
  config: DataPlaneDeps['config'];
  /** Keys of the sealed box: the first seals, all open. */
  keys: string[];
  role: Role;
  log: Logger;
  openDataPlane?: typeof openDataPlane;
}

export interface PlatformProcess {
  /** Address of API and gateway; undefined for a worker. */
  url: string | undefined;
  /** Set in a process that serves the API. */
  apiKey: FirstApiKey | undefined;
  /** Makes a one-time link's token, where the first key is known. */
  signInToken(): Promise<string | undefined>;
  /** Agents keep running unless they are to end with this process. */
  stop(how?: { withAgents: boolean }): Promise<void>;
}

/** Migrates the platform's schemas to this version. Returns the applied migrations. */
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

/** Joins the parts of a platform process: API and gateway, workers, or both. */
export async function startPlatformProcess(options: PlatformProcessOptions): Promise<PlatformProcess> {
  const { config, role, log } = options;
  installTemporalRuntime(log);
  const [temporal] = await Promise.all([
    connectTemporal(temporalAddress(config)),
    migratePlatform(config.DATABASE_URL),
  ]);
  const database = {
    url: config.DATABASE_URL,
    poolSize: config.SLIPWAY_DATABASE_POOL,
    statementTimeoutMs: config.SLIPWAY_STATEMENT_TIMEOUT_SECONDS * 1000,
    onError: (error: Error) => log.warn({ err: error }, 'idle database connection lost'),
  };
  const traceConnections = role === 'worker' ? 0 : Math.max(2, Math.floor(database.poolSize / 2));
  const db = openDatabase({ ...database, poolSize: Math.max(2, database.poolSize - traceConnections) });
  const taskQueue = `slipway-${config.SLIPWAY_PLATFORM}`;
  const buildQueue = `${taskQueue}-builds`;
  const { client } = temporal;
  const deps: DataPlaneDeps = {
    config,
    temporal: client,
    log,
    db,
    box: new SealedBox(options.keys),
    workflows: new DeploymentWorkflows({
      client,
      taskQueue,
      buildQueue,
      deadlineMs: config.SLIPWAY_TEMPORAL_DEADLINE_SECONDS * 1000,
    }),
  };
  const listening = connectionConfig(database);
  const [work] = await Promise.all([
    role === 'api'
      ? undefined
      : import('./platform-workers.ts').then(({ startWorkers }) =>
          startWorkers(deps, temporal, { taskQueue, buildQueue, listening }, options.openDataPlane),
        ),
    removeSchedules(client, config.SLIPWAY_PLATFORM, PLATFORM_SCHEDULES),
  ]);
  const http =
    role === 'worker'
      ? undefined
      : await import('./platform-http.ts').then(({ startHttp }) =>
          startHttp(deps, config, { ...database, poolSize: traceConnections }),
        );
  return {
    url: http?.url,
    apiKey: http?.apiKey,
    signInToken: async () => http?.signInToken(),
    async stop(how) {
      await http?.stop(config.SLIPWAY_GRACE_SECONDS * 1000);
      await work?.stop(how);
      await db.end();
      await temporal.connection.close();
    },
  };
}
