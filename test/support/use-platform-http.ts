import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { startHttp } from '../../src/bin/platform-http.ts';
import { migratePlatform } from '../../src/bin/platform-process.ts';
import { PlatformSettings } from '../../src/bin/platform-settings.ts';
import { insertApiKey, newApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import type { Role } from '../../src/control-plane/principal.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { DeploymentWorkflows } from '../../src/control-plane/deployment-workflows.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { PATIENCE_MS } from './until.ts';
import { createDatabase } from './use-database.ts';

export interface PlatformHttp {
  readonly url: string;
  readonly deps: ControlPlaneDeps;
  /** A new key; with `tenant` null, for all tenants. */
  key(role: Role, tenant: string | null, expires_at?: Date): Promise<string>;
}

/** A platform's HTTP server in this process, with its own database and no workers. */
export function usePlatformHttp(settings: Record<string, string> = {}): PlatformHttp {
  let deps: ControlPlaneDeps;
  let url: string;
  const undo: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const database = await createDatabase();
    undo.unshift(database.drop);
    await migratePlatform(database.url);
    const db = openDatabase({ url: database.url, poolSize: 10 });
    undo.unshift(() => db.end());
    const connection = await Connection.connect({
      address: process.env['TEST_TEMPORAL_ADDRESS']!,
      connectTimeout: PATIENCE_MS,
    });
    undo.unshift(() => connection.close());
    const dataDir = await mkdtemp(join(tmpdir(), 'slipway-http-'));
    undo.unshift(() => rm(dataDir, { recursive: true, force: true }));
    const config = readSettings(PlatformSettings, {
      DATABASE_URL: database.url,
      SLIPWAY_PLATFORM: `http-${randomUUID()}`,
      SLIPWAY_DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: '0',
      ...settings,
    });
    const client = new Client({ connection });
    const taskQueue = `slipway-${config.SLIPWAY_PLATFORM}`;
    const workflows = { client, taskQueue, buildQueue: `${taskQueue}-builds`, deadlineMs: PATIENCE_MS };
    deps = {
      config,
      log: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
      db,
      box: new SealedBox(['a key for tests alone']),
      workflows: new DeploymentWorkflows(workflows),
    };
    const http = await startHttp({ ...deps, temporal: client }, config, { url: database.url, poolSize: 5 });
    undo.unshift(() => http.stop(0));
    url = http.url;
    config.SLIPWAY_PUBLIC_URL = url;
  });

  afterAll(async () => {
    for (const step of undo) await step();
  });

  return {
    get url() {
      return url;
    },
    get deps() {
      return deps;
    },
    async key(role, tenant_id, expires_at) {
      const key = newApiKey();
      await insertApiKey(deps.db, key, {
        tenant_id,
        name: `a ${role}`,
        role,
        expires_at: expires_at ?? null,
      });
      return key;
    },
  };
}
