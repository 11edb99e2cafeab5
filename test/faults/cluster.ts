import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { Client } from '@langchain/langgraph-sdk';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { type AgentServer, type AgentServerOptions, startAgentServer } from '../support/agent-server.ts';
import { createDatabase } from '../support/use-database.ts';

export interface Cluster {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly deployment: string;
  /** A folder for files that graphs write. */
  readonly folder: string;
  start(options?: Partial<AgentServerOptions>): Promise<AgentServer>;
}

/** Processes of one deployment, started and killed at will; remaining ones are removed after the file's tests. */
export function useCluster(): Cluster {
  const deployment = `fault-${randomUUID()}`;
  const servers: AgentServer[] = [];
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let db: Database;
  let folder: string;
  beforeAll(async () => {
    database = await createDatabase();
    db = openDatabase({ url: database.url, poolSize: 3 });
    folder = await mkdtemp(join(tmpdir(), 'slipway-fault-'));
  });
  afterAll(async () => {
    for (const { child } of servers) child.kill('SIGCONT');
    await Promise.all(servers.map((server) => server.end('SIGKILL')));
    await db.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get db() {
      return db;
    },
    get databaseUrl() {
      return database.url;
    },
    deployment,
    get folder() {
      return folder;
    },
    async start(options = {}) {
      const server = await startAgentServer({ databaseUrl: database.url, deployment, ...options });
      servers.push(server);
      return server;
    },
  };
}

export const clientOf = ({ url }: AgentServer): Client => new Client({ apiUrl: url });

export interface TraceLine {
  what: string;
  pid: number;
  at: number;
}

/** A fixture graph's record of its own execution. */
export async function readTrace(file: string): Promise<TraceLine[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, what = '', pid, at] = /^(.*) pid=(\d+) at=(\d+)$/.exec(line) ?? [];
      return { what, pid: Number(pid), at: Number(at) };
    });
}
