import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from './cache-dir.ts';
import { openChildLog } from './child-log.ts';
import { type GuardedProcess, spawnGuarded } from './guarded-process.ts';
import { type KeptService, keepRunning } from './keep-running.ts';
import { recordProcess } from './leftover.ts';
import { accepts, LOOPBACK } from './ports.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { type Cluster, DATABASE, openCluster, ROLE } from './postgres-cluster.ts';
import { prepareOwnedDir } from './postgres-owner.ts';
import { postgresSettings } from './postgres-settings.ts';
import { commandLine } from './process-identity.ts';
import { EmbeddedStartFailed, PortTaken } from './start-failed.ts';

export interface EmbeddedPostgres extends KeptService {
  databaseUrl: string;
}

/** After a crash Postgres first replays its log; longer than this, in milliseconds, and something is wrong. */
const READY_WITHIN_MS = 300_000;
const SAY_SO_AFTER_MS = 5_000;
/** What a killed Postgres' last backends hold on to until they notice, in milliseconds. */
const LEFT_BEHIND_MS = 15_000;

/** Makes the cluster ready in `<dataDir>/postgres`; the result starts it on a port and keeps it running there. */
export async function preparePostgres(
  dataDir: string,
  env: Environment,
  onProgress: (message: string) => void,
) {
  const parent = join(dataDir, 'postgres');
  const owner = await prepareOwnedDir(parent);
  const binaries = await findPostgresBinaries(env, owner, onProgress);
  const opened = await openCluster(parent, join(dataDir, 'postgres-password'), binaries, owner, onProgress);
  const { cluster, password } = opened;

  return async (port: number): Promise<EmbeddedPostgres> => {
    const launch = (signal: AbortSignal) => launchPostgres(dataDir, cluster, port, signal, onProgress);
    const kept = await keepRunning('Postgres', launch, onProgress);
    return { ...kept, databaseUrl: `postgresql://${ROLE}:${password}@${LOOPBACK}:${port}/${DATABASE}` };
  };
}

async function launchPostgres(
  dataDir: string,
  cluster: Cluster,
  port: number,
  signal: AbortSignal,
  onProgress: (message: string) => void,
): Promise<GuardedProcess> {
  for (const deadline = Date.now() + LEFT_BEHIND_MS; ; await sleep(250)) {
    const env = { ...cluster.env, ...(await strangerEnv(cluster)) };
    const log = await openChildLog(join(dataDir, 'logs', 'postgres.log'));
    try {
      const args = ['-D', cluster.dirArgument, ...postgresSettings(port)];
      const options = {
        ...cluster,
        env,
        args,
        command: cluster.binaries.postgres,
        cwd: cluster.dir,
        log: log.fd,
      };
      const child = await spawnGuarded({ ...options, signal: 'INT', graceSeconds: 20 }, (pid) =>
        recordProcess(dataDir, 'Postgres', pid),
      );
      if (await becomesReady(child, cluster, signal, onProgress, log.path)) return child;
      const reason = await log.reason();
      if (/could not (?:bind|create any TCP)/i.test(reason) || (await accepts(port))) {
        throw new PortTaken('Postgres', port);
      }
      if (Date.now() < deadline && /shared memory|lock file/i.test(reason) && !signal.aborted) continue;
      throw new EmbeddedStartFailed(`Postgres did not start: ${reason} (more in ${log.path})`);
    } finally {
      await log.close();
    }
  }
}

/** False when the process ended instead. Throws EmbeddedStartFailed, the process stopped, when it takes too long. */
async function becomesReady(
  child: GuardedProcess,
  { dir }: Cluster,
  signal: AbortSignal,
  onProgress: (message: string) => void,
  logPath: string,
): Promise<boolean> {
  let ended = false;
  void child.ended.then(() => (ended = true));
  let said = false;
  for (const since = Date.now(); ; await sleep(15)) {
    if (ended) return false;
    // The last line of this file is how pg_ctl learns it, too: no connection and no password needed.
    const lines = (await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return true;
    const waited = Date.now() - since;
    if (signal.aborted || waited > READY_WITHIN_MS) {
      await child.stop();
      throw new EmbeddedStartFailed(
        `Postgres was not ready after ${Math.round(waited / 1000)} s (see ${logPath})`,
      );
    }
    if (!said && waited > SAY_SO_AFTER_MS) {
      said = true;
      onProgress(`Postgres is still starting, after a crash it first replays its log (see ${logPath})`);
    }
  }
}

/**
 * Postgres takes the pid in a stale lock file for a living server when any process got that pid meanwhile, which
 * containers make likely. Named as its grandparent, that process is passed over, and every other check of
 * Postgres stays. Throws EmbeddedStartFailed when it is a Postgres that somebody else started here.
 */
async function strangerEnv({ dir }: Cluster): Promise<Record<string, string>> {
  const pid = Number((await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
  if (!pid) return {};
  const [command, workingDir] = await Promise.all([
    commandLine(pid),
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
  ]);
  if (!command) return {};
  if (/postgres|postmaster/.test(command) && (command.includes(dir) || workingDir === dir)) {
    throw new EmbeddedStartFailed(
      `A Postgres that Slipway did not start (pid ${pid}) runs on ${dir}: stop it first.`,
    );
  }
  return { PG_GRANDPARENT_PID: String(pid) };
}
