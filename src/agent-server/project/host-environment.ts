import { InvalidSetting } from '../../platform/settings.ts';
import type { ProjectFile } from './project-config.ts';
import { applyProjectEnv } from './project-env.ts';

// Variables a program needs to run and to reach the Internet.
const OF_THE_MACHINE =
  /^(?:PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|NODE_ENV|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:https?|all|no)_proxy|SLIPWAY_LOG_LEVEL)$/i;
const OURS = /^(?:DATABASE_URL$|TEMPORAL_|SLIPWAY_(?!LOG_LEVEL$))/;

/** The sources of the project's variables. */
export interface ProjectEnvironment {
  /** The environment of graph hosts. */
  host: Record<string, string>;
  /** The environment this server reads its settings from. */
  server: NodeJS.ProcessEnv;
}

/**
 * Splits this process's environment into the project's and ours. A platform passes the project's variables in
 * SLIPWAY_PROJECT_ENV, and none of them reach this process's settings; otherwise both share the shell's environment.
 * Throws InvalidProject and InvalidSetting.
 */
export function projectEnvironment(
  file: ProjectFile,
  { SLIPWAY_PROJECT_ENV: given, ...env }: NodeJS.ProcessEnv,
  warn: (message: string) => void,
): ProjectEnvironment {
  if (given === undefined) {
    const shared = { ...env };
    applyProjectEnv(file, shared, warn);
    return { host: select(shared, (name) => !OURS.test(name)), server: shared };
  }
  const host = { ...select(env, (name) => OF_THE_MACHINE.test(name)), ...parse(given) };
  applyProjectEnv(file, host, warn, { within: file.dir });
  return { host, server: env };
}

function parse(text: string): Record<string, string> {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    throw new InvalidSetting('SLIPWAY_PROJECT_ENV is not a JSON object');
  }
}

const select = (env: NodeJS.ProcessEnv, wanted: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && wanted(name) ? [[name, value]] : [],
    ),
  );
