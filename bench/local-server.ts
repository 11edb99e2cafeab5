import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOOPBACK, rememberedPorts } from '../src/platform/embedded/ports.ts';
import { DATABASE, ROLE } from '../src/platform/embedded/postgres-cluster.ts';
import { until } from './pacing.ts';

const cli = fileURLToPath(new URL('../dist/bin/slipway.js', import.meta.url));

export interface LocalServer {
  url: string;
  pid: number;
  /** Folder of its databases and their addresses. */
  dataDir: string;
  stop(): Promise<void>;
}

/** Starts `slipway serve` as a user would, with embedded services and a new data directory. */
export function startLocalServer(config: string): Promise<LocalServer> {
  const project = fileURLToPath(new URL(`./graphs/${config}`, import.meta.url));
  return startLocal(['serve', '--config', project], /agent server ready at (http[^\s"]+)/);
}

/** Starts a `slipway` command and waits until it prints its URL. */
export async function startLocal(
  args: string[],
  ready: RegExp,
  settings: Record<string, string> = {},
): Promise<LocalServer> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  // If root starts Postgres, it runs as another user, who must be able to enter this folder.
  await chmod(dir, 0o711);
  const dataDir = join(dir, 'data');
  // A file instead of a pipe, because reading a pipe would cost this process time.
  const logFile = join(dir, 'server.log');
  const log = openSync(logFile, 'a');
  const { DATABASE_URL: _database, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...env, SLIPWAY_DATA_DIR: dataDir, PORT: '0', ...settings },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const stop = async () => {
    await end(child);
    await rm(dir, { recursive: true, force: true });
  };
  try {
    let url: string | undefined;
    await until('The server is ready', 120_000, async () => {
      const text = await readFile(logFile, 'utf8');
      url = ready.exec(text)?.[1];
      if (hasEnded(child)) throw new Error(`The server did not start:\n${text}`);
      return url !== undefined;
    });
    return { url: url!, pid: child.pid!, dataDir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const lastResort = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await exited;
  clearTimeout(lastResort);
}

/** URL of the server's embedded database, where the floor stores its checkpoints. */
export async function embeddedDatabaseUrl(dataDir: string): Promise<string> {
  const { postgres } = await rememberedPorts(dataDir, 'postgres', { postgres: 0 });
  const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
  return `postgresql://${ROLE}:${password}@${LOOPBACK}:${postgres}/${DATABASE}`;
}
