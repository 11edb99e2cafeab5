import { constants } from 'node:fs';
import { access, chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Environment } from './cache-dir.ts';
import { lockDataDir } from './data-dir-lock.ts';
import type { KeptService } from './keep-running.ts';
import { endLeftover } from './leftover.ts';
import { choosePort, rememberedPorts, rememberPorts } from './ports.ts';
import { type EmbeddedPostgres, preparePostgres } from './postgres.ts';
import { EmbeddedStartFailed, oneLine, PortTaken } from './start-failed.ts';
import { type EmbeddedTemporal, prepareTemporal } from './temporal.ts';

export interface EmbeddedOptions {
  /** Holds databases, logs, ports and password. Created if missing; locked while in use. */
  dataDir: string;
  /** If set, no Postgres is started. */
  databaseUrl?: string | undefined;
  /** If set, no Temporal is started. */
  temporalAddress?: string | undefined;
  namespace?: string | undefined;
  /** A given port is required. Otherwise the last used or the next free port is chosen. */
  temporalPort?: number | undefined;
  uiPort?: number | undefined;
  postgresPort?: number | undefined;
  env?: Environment;
  onProgress: (message: string) => void;
}

export interface Embedded {
  databaseUrl: string;
  temporalAddress: string;
  /** Only set if Temporal was started here. */
  temporalUiUrl?: string;
  stop: () => Promise<void>;
}

/**
 * Starts Postgres and Temporal unless they are configured, and restarts them on the same ports if they die. They end
 * with this process, even if it is killed; the next start cleans up after crashes. Throws EmbeddedStartFailed with a
 * one-line message for the operator.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { databaseUrl, temporalAddress } = options;
  if (databaseUrl && temporalAddress) return { databaseUrl, temporalAddress, stop: async () => {} };
  if (process.platform === 'win32') {
    throw new EmbeddedStartFailed(
      'On Windows, start inside WSL 2, use docker compose, or set DATABASE_URL and TEMPORAL_ADDRESS.',
    );
  }
  const dataDir = await makeDataDir(resolve(options.dataDir));
  const lock = await lockDataDir(dataDir);
  const running: KeptService[] = [];
  let stopped: Promise<unknown> | undefined;
  const stop = async () => {
    stopped ??= Promise.all(running.map((service) => service.stop())).then(() => lock.release());
    await stopped;
  };
  const [postgres, temporal] = await Promise.allSettled([
    databaseUrl ? { databaseUrl } : keep(running, embedPostgres(dataDir, options)),
    temporalAddress ? { temporalAddress } : keep(running, embedTemporal(dataDir, options)),
  ]);
  if (postgres.status === 'fulfilled' && temporal.status === 'fulfilled') {
    return { ...postgres.value, ...temporal.value, stop };
  }
  await stop();
  throw asStartFailed(
    postgres.status === 'rejected' ? postgres.reason : (temporal as PromiseRejectedResult).reason,
  );
}

// Preferred ports: Temporal's defaults; Postgres avoids the port of a system installation.
async function embedPostgres(dataDir: string, options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  await endLeftover(dataDir, 'Postgres', 'SIGINT', options.onProgress);
  const startOn = await preparePostgres(dataDir, options.env ?? process.env, options.onProgress);
  return onFreePorts(async () => {
    const preferred = await rememberedPorts(dataDir, 'postgres', { postgres: 15432 });
    const postgres = await choosePort('Postgres', preferred.postgres, options.postgresPort);
    const started = await startOn(postgres);
    await rememberPorts(dataDir, 'postgres', { postgres });
    return started;
  });
}

async function embedTemporal(dataDir: string, options: EmbeddedOptions): Promise<EmbeddedTemporal> {
  const { namespace = 'default', env = process.env, onProgress } = options;
  await endLeftover(dataDir, 'Temporal', 'SIGTERM', onProgress);
  const startOn = await prepareTemporal(dataDir, namespace, env, onProgress);
  return onFreePorts(async () => {
    const preferred = await rememberedPorts(dataDir, 'temporal', { temporal: 7233, temporalUi: 8233 });
    const temporal = await choosePort('Temporal', preferred.temporal, options.temporalPort);
    const temporalUi = await choosePort('the Temporal UI', preferred.temporalUi, options.uiPort);
    const started = await startOn({ temporal, temporalUi });
    await rememberPorts(dataDir, 'temporal', { temporal, temporalUi });
    return started;
  });
}

/** Retries if another process takes a port between the check and the child's bind. */
async function onFreePorts<Service>(start: () => Promise<Service>): Promise<Service> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === 5 || !(error instanceof PortTaken)) throw error;
    }
  }
}

async function keep<Service extends KeptService>(
  running: KeptService[],
  starting: Promise<Service>,
): Promise<Service> {
  const service = await starting;
  running.push(service);
  return service;
}

async function makeDataDir(dataDir: string): Promise<string> {
  try {
    // Root runs Postgres as another user, who needs access to this directory.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
    if (await mkdir(dataDir, { recursive: true, mode })) await chmod(dataDir, mode);
    await mkdir(join(dataDir, 'logs'), { recursive: true });
    await access(dataDir, constants.W_OK);
    return dataDir;
  } catch (error) {
    throw new EmbeddedStartFailed(
      `The data directory ${dataDir} cannot be used (${oneLine(error)}). Set SLIPWAY_DATA_DIR to a writable directory.`,
    );
  }
}

function asStartFailed(error: unknown): EmbeddedStartFailed {
  return error instanceof EmbeddedStartFailed
    ? error
    : new EmbeddedStartFailed(oneLine(error), { cause: error });
}
