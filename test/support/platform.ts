import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from '@jest/globals';
import type { Database } from '../../src/platform/db/database.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { type ServerProcess, startServer as start } from './server-process.ts';
import { createDatabase, noteDeployment, openPatiently } from './use-database.ts';

const at = (path: string) => fileURLToPath(new URL(path, packageRoot));

/** A started process of the platform. */
export type PlatformProcess = ServerProcess;

export const API_KEY = 'test-key-of-the-first-tenant';

/** The processes of one platform on the test run's services; those still running end with the file. */
export interface TestPlatform {
  readonly db: Database;
  readonly name: string;
  readonly dataDir: string;
  readonly env: Record<string, string>;
  /** `slipway <command>`, as a user starts it. */
  start(command: 'platform' | 'api' | 'worker', env?: Record<string, string>): Promise<PlatformProcess>;
  /** Workers with a driver whose revisions are HTTP servers in the worker's own process. */
  startLocalWorker(env?: Record<string, string>): Promise<PlatformProcess>;
  /** Another program that reports readiness in the same way. */
  startProgram(file: string, env?: Record<string, string>): Promise<PlatformProcess>;
}

/**
 * For tests that wait for a sweep. Each sweep costs Postgres and a worker some time, so other tests run without.
 */
export const SWEEP_OFTEN = { SLIPWAY_SWEEP_SECONDS: '1' };

/** Uses the test run's services, or those that `services` starts. */
export function usePlatform({
  services,
  settings,
}: {
  services?: () => Promise<{ databaseUrl: string; temporalAddress: string; stop(): Promise<void> }>;
  settings?: Record<string, string>;
} = {}): TestPlatform {
  const name = `test-${randomUUID()}`;
  const processes: PlatformProcess[] = [];
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let db: Database;
  let dataDir: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    const own = await services?.();
    database = own ? { url: own.databaseUrl, drop: () => own.stop() } : await createDatabase();
    noteDeployment(database.url, name);
    db = openPatiently({ url: database.url, poolSize: 3, onError() {} });
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-platform-'));
    env = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: own?.temporalAddress ?? process.env['TEST_TEMPORAL_ADDRESS']!,
      SLIPWAY_PLATFORM: name,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_SECRET_KEY: 'a secret of the tests',
      SLIPWAY_API_KEY: API_KEY,
      // Generous, because other tests may keep Temporal busy.
      SLIPWAY_TEMPORAL_DEADLINE_SECONDS: '60',
      SLIPWAY_GRACE_SECONDS: '1',
      SLIPWAY_PUBLIC_URL: 'https://agents.example',
      SLIPWAY_TRACE_AGENTS: 'false',
      PORT: '0',
      ...settings,
    };
  });
  afterAll(async () => {
    await Promise.all(processes.map((started) => started.end('SIGKILL')));
    await endInstances(db);
    await db.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const keep = async (starting: Promise<PlatformProcess>) => {
    const started = await starting;
    processes.push(started);
    return started;
  };
  return {
    get db() {
      return db;
    },
    get dataDir() {
      return dataDir;
    },
    get env() {
      return env;
    },
    name,
    start: (command, more = {}) => keep(start([at('dist/bin/slipway.js'), command], { ...env, ...more })),
    startLocalWorker: (more = {}) =>
      keep(start(['--import', 'tsx', at('test/support/local-worker.ts')], { ...env, ...more })),
    startProgram: (file, more = {}) => keep(start(['--import', 'tsx', at(file)], { ...env, ...more })),
  };
}

/** Agents outlive their platform; this ends those that a test left. */
async function endInstances(db: Database): Promise<void> {
  const { rows } = await db
    .query<{ pid: number }>('select pid from control_plane.instance where pid is not null')
    // Nothing has ever started.
    .catch(() => ({ rows: [] }));
  for (const { pid } of rows) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

export interface Answered {
  status: number;
  // The test checks the shape.
  json: any;
  headers: Headers;
}

/** A request to a platform, by default with the first key. */
export async function ask(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { 'x-api-key': API_KEY },
): Promise<Answered> {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text ? JSON.parse(text) : undefined, headers: response.headers };
}
