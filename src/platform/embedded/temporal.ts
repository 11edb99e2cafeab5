import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from './cache-dir.ts';
import { type ChildLog, openChildLog } from './child-log.ts';
import { type GuardedProcess, spawnGuarded } from './guarded-process.ts';
import { type KeptService, keepRunning } from './keep-running.ts';
import { recordProcess } from './leftover.ts';
import { accepts, LOOPBACK } from './ports.ts';
import { EmbeddedStartFailed, oneLine, PortTaken } from './start-failed.ts';
import { findTemporalCli } from './temporal-cli.ts';
import { prepareNamespace } from './temporal-namespace.ts';
import { DYNAMIC_CONFIG, SEARCH_ATTRIBUTES, SQLITE_PRAGMAS } from './temporal-settings.ts';

export interface EmbeddedTemporal extends KeptService {
  temporalAddress: string;
  temporalUiUrl: string;
}

export interface TemporalPorts {
  temporal: number;
  temporalUi: number;
}

const READY_WITHIN_MS = 60_000;
/** In milliseconds. A server that cannot bind its port ends well before this. */
const BOUND_AFTER_MS = 2_000;

/** Finds the CLI; the result starts its dev server on two ports, with the database in `<dataDir>/temporal`. */
export async function prepareTemporal(
  dataDir: string,
  namespace: string,
  env: Environment,
  onProgress: (message: string) => void,
) {
  const [cli] = await Promise.all([
    findTemporalCli(env, onProgress),
    mkdir(join(dataDir, 'temporal'), { recursive: true, mode: 0o700 }),
  ]);
  return async (ports: TemporalPorts): Promise<EmbeddedTemporal> => {
    const launch = (signal: AbortSignal) => launchTemporal(dataDir, cli, namespace, ports, signal);
    const kept = await keepRunning('Temporal', launch, onProgress);
    return {
      ...kept,
      temporalAddress: `${LOOPBACK}:${ports.temporal}`,
      temporalUiUrl: `http://localhost:${ports.temporalUi}`,
    };
  };
}

async function launchTemporal(
  dataDir: string,
  command: string,
  namespace: string,
  ports: TemporalPorts,
  signal: AbortSignal,
): Promise<GuardedProcess> {
  const home = join(dataDir, 'temporal');
  // A private home ignores the user's Temporal profiles, and none of our environment is passed on.
  const env = { HOME: home, PATH: '/usr/bin:/bin', TZ: 'UTC', GOGC: '400' };
  const log = await openChildLog(join(dataDir, 'logs', 'temporal.log'));
  try {
    const args = serverArguments(join(home, 'temporal.db'), namespace, ports);
    const options = { command, args, cwd: home, env, log: log.fd, signal: 'TERM' as const, graceSeconds: 10 };
    const child = await spawnGuarded(options, (pid) => recordProcess(dataDir, 'Temporal', pid));
    const failure = await becomesReady(child, log, ports.temporal, namespace, signal);
    if (failure === undefined) return child;
    await child.stop();
    for (const port of [ports.temporal, ports.temporalUi]) {
      if (await accepts(port)) throw new PortTaken('Temporal', port);
    }
    throw new EmbeddedStartFailed(`Temporal ${failure}: ${await log.reason()} (more in ${log.path})`);
  } finally {
    await log.close();
  }
}

function serverArguments(database: string, namespace: string, ports: TemporalPorts): string[] {
  const flags: Record<string, string | number | string[]> = {
    ip: LOOPBACK,
    port: ports.temporal,
    'ui-port': ports.temporalUi,
    namespace,
    'search-attribute': pairs(SEARCH_ATTRIBUTES),
    'db-filename': database,
    'sqlite-pragma': pairs(SQLITE_PRAGMAS),
    'dynamic-config-value': pairs(DYNAMIC_CONFIG, JSON.stringify),
    'log-level': 'warn',
    color: 'never',
  };
  const given = Object.entries(flags).flatMap(([flag, values]) =>
    [values].flat().flatMap((value) => [`--${flag}`, String(value)]),
  );
  return ['server', 'start-dev', ...given];
}

function pairs(values: object, format: (value: unknown) => string = String): string[] {
  return Object.entries(values).map(([key, value]) => `${key}=${format(value)}`);
}

/** The failure, as a continuation of "Temporal …"; undefined once it accepts connections and has its namespace. */
async function becomesReady(
  child: GuardedProcess,
  log: ChildLog,
  port: number,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  let end: string | undefined;
  void child.ended.then((how) => (end = how));
  let last = 'not accepting connections';
  for (const since = Date.now(); Date.now() - since < READY_WITHIN_MS && !signal.aborted; await sleep(15)) {
    if (end) return `did not start (${end})`;
    // Another server on the port would also accept connections; ours logs when it has bound it.
    const bound = /Server:\s+\S+:\d+/.test(await log.text()) || Date.now() - since > BOUND_AFTER_MS;
    if (!bound || !(await accepts(port))) continue;
    try {
      await prepareNamespace(`${LOOPBACK}:${port}`, namespace);
      if (!end) return undefined;
    } catch (error) {
      last = oneLine(error);
    }
  }
  return `was not ready in time (${last})`;
}
