import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AgentSettings } from '../agent-server/agent-settings.ts';
import { type HostCommand, hostCommand } from '../agent-server/hosts/host-command.ts';
import type { Language } from '../graph-protocol/language.ts';
import { InvalidSetting } from '../platform/settings.ts';

const IN_PROJECT = '.venv/bin/python';

export interface ProjectCommandOptions {
  /** The project's folder. */
  dir: string;
  settings: Pick<
    AgentSettings,
    'SLIPWAY_HOST_PREFIX' | 'SLIPWAY_HOST_PROJECT' | 'SLIPWAY_PYTHON' | 'SLIPWAY_LOG_LEVEL'
  >;
  /** The project's environment. */
  env: Record<string, string>;
  log: Logger;
  /** Address at which a debugger finds Node's inspector in the host. */
  inspect?: string | undefined;
  /** Address at which a debugger finds debugpy in the host. */
  debugpy?: string | undefined;
}

/** What starts a host of the project on this machine, by language. Throws InvalidSetting. */
export function projectCommand({
  dir,
  settings,
  env,
  log,
  inspect,
  debugpy,
}: ProjectCommandOptions): (language: Language) => HostCommand {
  const { SLIPWAY_HOST_PROJECT: seenAs = dir, SLIPWAY_LOG_LEVEL } = settings;
  const options = {
    prefix: readPrefix(settings.SLIPWAY_HOST_PREFIX),
    env: { ...env, SLIPWAY_LOG_LEVEL },
    python: findPython(settings.SLIPWAY_PYTHON, dir, seenAs, env),
    nodeOptions: inspect ? [...process.execArgv, `--inspect=${inspect}`] : process.execArgv,
    pythonOptions: debugpy ? ['-Xfrozen_modules=off', '-m', 'debugpy', '--listen', debugpy] : [],
  };
  let hasLogged = false;
  return (language) => {
    if (language === 'python' && !hasLogged) log.info(`running Python graphs with ${options.python}`);
    hasLogged ||= language === 'python';
    return hostCommand(language, options);
  };
}

function readPrefix(text: string | undefined): string[] {
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list.map(String);
  } catch {
    // Refused below.
  }
  throw new InvalidSetting('SLIPWAY_HOST_PREFIX is not a JSON list of strings');
}

/** The interpreter of a Python project: as set, the project's own, that of an active environment, the machine's. */
function findPython(
  set: string | undefined,
  dir: string,
  seenAs: string,
  { VIRTUAL_ENV }: Record<string, string>,
): string {
  if (set !== undefined) return set;
  if (existsSync(join(dir, IN_PROJECT))) return join(seenAs, IN_PROJECT);
  return VIRTUAL_ENV ? join(VIRTUAL_ENV, 'bin/python') : 'python3';
}
