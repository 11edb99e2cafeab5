import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from './cache-dir.ts';
import { findContainerEngine } from './container-engine.ts';
import { checkPostgres, checkTemporal } from './service-checks.ts';
import { oneLine } from './start-failed.ts';

const run = promisify(execFile);

export interface Finding {
  name: string;
  ok: boolean;
  /** The finding, or the problem and how to fix it. */
  detail: string;
  /** What does not work without it. Failed checks without this field are fatal for a server. */
  turns_off?: string;
}

/** A check that resolves with a description or rejects with the problem. */
interface Check {
  name: string;
  /** Missing for requirements. */
  turnsOff?: string;
  check: (env: Environment) => Promise<string>;
}

const CHECKS: Check[] = [
  { name: 'Node.js', check: checkNode },
  { name: 'data directory', check: checkDataDir },
  { name: 'Postgres', check: checkPostgres },
  { name: 'Temporal', check: checkTemporal },
  { name: 'git', turnsOff: 'deployments from git repositories; archives still deploy', check: checkGit },
  {
    name: 'container engine',
    turnsOff: 'the docker driver; the process driver still deploys',
    check: checkEngine,
  },
];

/** Checks the machine without starting anything. */
export async function diagnose(env: Environment): Promise<Finding[]> {
  return Promise.all(
    CHECKS.map(async ({ name, turnsOff, check }) => {
      try {
        return { name, ok: true, detail: await check(env) };
      } catch (error) {
        return { name, ok: false, detail: oneLine(error), ...(turnsOff && { turns_off: turnsOff }) };
      }
    }),
  );
}

async function checkNode(): Promise<string> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return process.versions.node;
  throw new Error(`${process.versions.node} is older than 20.19: install a newer Node`);
}

/** Checks the nearest existing parent if the directory does not exist yet. */
async function checkDataDir(env: Environment): Promise<string> {
  const dataDir = resolve(env.SLIPWAY_DATA_DIR || '.slipway');
  for (let dir = dataDir; ; dir = dirname(dir)) {
    try {
      await access(dir, constants.W_OK | constants.X_OK);
      return dataDir;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && dir !== dirname(dir)) continue;
      throw new Error(
        `${dataDir} is not writable (${oneLine(error)}): set SLIPWAY_DATA_DIR to a writable directory`,
        { cause: error },
      );
    }
  }
}

async function checkGit(env: Environment): Promise<string> {
  try {
    return (await run('git', ['--version'], { env: { ...env } })).stdout.trim();
  } catch {
    throw new Error('git is not on PATH: install it');
  }
}

async function checkEngine(env: Environment): Promise<string> {
  const address = await findContainerEngine(env);
  if (address) return `responds at ${address}`;
  throw new Error(
    env.DOCKER_HOST
      ? `nothing responds at DOCKER_HOST=${env.DOCKER_HOST}`
      : 'no Docker API found on this machine: start one, or set DOCKER_HOST',
  );
}
