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

/** In milliseconds. Crash recovery replays the log first, but should not take longer than this. */
const READY_WITHIN_MS = 300_000;
const REPORT_AFTER_MS = 5_000;
/** How long backends of a killed Postgres may linger, in milliseconds. */
const LEFT_BEHIND_MS = 15_000;

/** Prepares the cluster in `<dataDir>/postgres`; the result starts it on a port and keeps it running. */
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
    const env = { ...cluster.env, ...(await stalePidEnv(cluster)) };
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

/** Returns false if the process ended. Stops it and throws EmbeddedStartFailed on timeout. */
async function becomesReady(
  child: GuardedProcess,
  { dir }: Cluster,
  signal: AbortSignal,
  onProgress: (message: string) => void,
  logPath: string,
): Promise<boolean> {
  let ended = false;
  void child.ended.then(() => (ended = true));
  let hasReported = false;
  for (const since = Date.now(); ; await sleep(15)) {
    if (ended) return false;
    // pg_ctl reads the same line; it needs no connection or password.
    const lines = (await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return true;
    const waited = Date.now() - since;
    if (signal.aborted || waited > READY_WITHIN_MS) {
      await child.stop();
      throw new EmbeddedStartFailed(
        `Postgres was not ready after ${Math.round(waited / 1000)} s (see ${logPath})`,
      );
    }
    if (!hasReported && waited > REPORT_AFTER_MS) {
      hasReported = true;
      onProgress(`Postgres is still starting; after a crash it replays its log first (see ${logPath})`);
    }
  }
}

/**
 * Postgres mistakes any process with the pid from a stale lock file for a live server, which is likely in containers.
 * Declaring that process its grandparent makes Postgres ignore it and keeps all other checks. Throws
 * EmbeddedStartFailed if it is a Postgres we did not start.
 */
async function stalePidEnv({ dir }: Cluster): Promise<Record<string, string>> {
  const pid = Number((await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
  if (!pid) return {};
  const [command, workingDir] = await Promise.all([
    commandLine(pid),
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
  ]);
  if (!command) return {};
  if (/postgres|postmaster/.test(command) && (command.includes(dir) || workingDir === dir)) {
    throw new EmbeddedStartFailed(
      `A Postgres that Slipway did not start (pid ${pid}) is using ${dir}. Stop it first.`,
    );
  }
  return { PG_GRANDPARENT_PID: String(pid) };
}
