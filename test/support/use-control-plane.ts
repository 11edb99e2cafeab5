import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { createCommitStatusActivities } from '../../activities/deployments/commit-status-activities.ts';
import { createCanaryActivities } from '../../activities/deployments/canary-activities.ts';
import { createReviseActivities } from '../../activities/deployments/revise-activities.ts';
import { createRevisionActivities } from '../../activities/deployments/revision-activities.ts';
import { createUpkeepActivities } from '../../activities/deployments/upkeep-activities.ts';
import { insertApiKey, newApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import { authenticate } from '../../src/control-plane/access/authenticate.ts';
import type { Role } from '../../src/control-plane/principal.ts';
import { canaryRoutes } from '../../src/control-plane/canaries/canary-routes.ts';
import { CanaryWork } from '../../activities/deployments/canary-work.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { controlPlaneRoutes } from '../../src/control-plane/control-plane-routes.ts';
import { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { trafficRoutes } from '../../src/control-plane/canaries/traffic-routes.ts';
import { DeploymentWorkflows } from '../../src/control-plane/deployment-workflows.ts';
import { RevisionWork } from '../../activities/deployments/revision-work.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { invalidAnswer } from '../../src/control-plane/validation-errors.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createApp } from '../../src/platform/http/app.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { workflowBundle } from '../../src/platform/temporal/worker.ts';
import { FolderBuilder } from './real-builder.ts';
import { ProcessDriver } from './real-driver.ts';
import { PATIENCE_MS } from './until.ts';
import { createDatabase } from './use-database.ts';

export interface ControlPlane {
  readonly url: string;
  readonly deps: ControlPlaneDeps;
  readonly client: Client;
  readonly taskQueue: string;
  readonly builder: FolderBuilder;
  readonly driver: ProcessDriver;
  /** The default key's tenant. */
  readonly tenant: string;
  /** A new key, for the default tenant unless another or none is given. */
  key(role: Role, tenant?: string | null): Promise<string>;
}

let installed = false;

/** A control plane with its own database on the test run's Postgres and Temporal; stopped after the file's tests. */
export function useControlPlane(settings: Record<string, string> = {}): ControlPlane {
  const tenant = randomUUID();
  let deps: ControlPlaneDeps;
  let client: Client;
  let server: Server;
  let builder: FolderBuilder;
  const driver = new ProcessDriver();
  const taskQueue = `control-plane-${randomUUID()}`;
  const undo: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    if (!installed) Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
    installed = true;
    const database = await createDatabase();
    undo.unshift(database.drop);
    const db = openDatabase({ url: database.url, poolSize: 10 });
    undo.unshift(() => db.end());
    await migrate(db, 'control-plane', new URL('migrations/control-plane/', packageRoot));
    const connection = await NativeConnection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
    undo.unshift(() => connection.close());
    client = new Client({ connection });
    const dir = await mkdtemp(join(tmpdir(), 'slipway-control-plane-'));
    undo.unshift(() => rm(dir, { recursive: true, force: true }));
    builder = new FolderBuilder(dir);
    const buildQueue = `${taskQueue}-builds`;
    deps = {
      config: readSettings(ControlPlaneSettings, {
        SLIPWAY_TRACE_AGENTS: 'false',
        SLIPWAY_DRIVER: 'docker',
        ...settings,
      }),
      log: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
      db,
      box: new SealedBox(['a key for tests alone']),
      workflows: new DeploymentWorkflows({ client, taskQueue, buildQueue, deadlineMs: PATIENCE_MS }),
    };
    const activities = {
      ...createRevisionActivities(new RevisionWork({ ...deps, builder, driver })),
      ...createCanaryActivities(new CanaryWork(deps)),
      ...createUpkeepActivities({ ...deps, databaseOf: async () => undefined }, { forSeconds: 0 }),
      ...createCommitStatusActivities(deps),
      ...createReviseActivities(deps),
    };
    const common = { connection, activities, maxHeartbeatThrottleInterval: '100ms' } as const;
    const workers = [
      await Worker.create({ ...common, taskQueue, workflowBundle: { codePath: workflowBundle } }),
      await Worker.create({ ...common, taskQueue: buildQueue, maxConcurrentActivityTaskExecutions: 4 }),
    ];
    const ended = Promise.all(workers.map((worker) => worker.run()));
    undo.unshift(async () => {
      for (const worker of workers) worker.shutdown();
      await ended;
      await driver.stopAll();
    });
    const app = createApp([...controlPlaneRoutes(deps), ...trafficRoutes(deps), ...canaryRoutes(deps)], {
      log: deps.log,
      bodyLimit: 1_000_000,
      invalid: invalidAnswer,
      middleware: () => [authenticate(deps)],
    });
    const handle = app.callback();
    // Closing an idle connection just when a client reuses it would make the client fail.
    server = createServer({ keepAliveTimeout: 0 }, (request, response) => void handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    deps.config.SLIPWAY_PUBLIC_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    deps.config.SLIPWAY_DATA_DIR = dir;
    undo.unshift(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
  });

  afterAll(async () => {
    for (const step of undo) await step();
  });

  return {
    tenant,
    driver,
    taskQueue,
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    get deps() {
      return deps;
    },
    get client() {
      return client;
    },
    get builder() {
      return builder;
    },
    async key(role, of = tenant) {
      const key = newApiKey();
      await insertApiKey(deps.db, key, { tenant_id: of, name: `a ${role}`, role });
      return key;
    },
  };
}
