import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { Logger } from 'pino';
import type { AgentSettings } from '../agent-server/agent-settings.ts';
import { type AgentProject, agentProject } from '../agent-server/hosts/agent-project.ts';
import { hostLaunch } from '../agent-server/hosts/host-launch.ts';
import { GraphHosts } from '../agent-server/hosts/graph-hosts.ts';
import type { HostServices } from '../agent-server/hosts/host-requests.ts';
import type { ProjectFile } from '../agent-server/project/project-config.ts';
import { InvalidSetting } from '../platform/settings.ts';

const IN_PROJECT = '.venv/bin/python';
// A host at a breakpoint does not answer.
const DEBUGGING_MS = 24 * 3_600_000;

export interface ProjectHosts {
  hosts: GraphHosts;
  /** Answers what the project's code asks of the server from now on. */
  serve(services: HostServices): void;
}

export interface ProjectHostsOptions {
  file: ProjectFile;
  settings: Pick<
    AgentSettings,
    | 'SLIPWAY_HOSTS'
    | 'SLIPWAY_HOST_BLOCKED_SECONDS'
    | 'SLIPWAY_HOST_PREFIX'
    | 'SLIPWAY_HOST_PROJECT'
    | 'SLIPWAY_PYTHON'
    | 'SLIPWAY_LOG_LEVEL'
  >;
  /** The project's environment. */
  env: Record<string, string>;
  log: Logger;
  /** Address at which a debugger finds Node's inspector in the host. */
  inspect?: string | undefined;
  /** Address at which a debugger finds debugpy in the host. */
  debugpy?: string | undefined;
}

/** Starts the processes that run the project's code, and has them load it. Throws InvalidProject, InvalidSetting. */
export async function startProjectHosts({
  file,
  settings,
  env,
  log,
  inspect,
  debugpy,
}: ProjectHostsOptions): Promise<ProjectHosts & { project: AgentProject }> {
  const { dir, config } = file;
  let services: HostServices | undefined;
  const { SLIPWAY_HOST_PROJECT: seenAs = dir, SLIPWAY_LOG_LEVEL } = settings;
  const command = {
    prefix: readPrefix(settings.SLIPWAY_HOST_PREFIX),
    env: { ...env, SLIPWAY_LOG_LEVEL },
    python: findPython(settings.SLIPWAY_PYTHON, dir, seenAs, env),
    nodeOptions: inspect ? [...process.execArgv, `--inspect=${inspect}`] : process.execArgv,
    pythonOptions: debugpy ? ['-Xfrozen_modules=off', '-m', 'debugpy', '--listen', debugpy] : [],
  };
  const isDebugged = inspect !== undefined || debugpy !== undefined;
  const hosts = new GraphHosts({
    launch(language) {
      if (language === 'python') log.info(`Python graphs run with ${command.python}`);
      return hostLaunch(language, command);
    },
    count: isDebugged ? 1 : (settings.SLIPWAY_HOSTS ?? Math.max(1, availableParallelism() - 1)),
    project: { dir: seenAs, file: basename(file.file), config },
    services: () => {
      if (!services) throw new Error('The server is starting: it cannot be called now');
      return services;
    },
    blockedMs: isDebugged ? DEBUGGING_MS : settings.SLIPWAY_HOST_BLOCKED_SECONDS * 1000,
    log,
  });
  try {
    const description = await hosts.start();
    for (const warning of description.warnings) log.warn(warning);
    return { hosts, project: agentProject(file, description), serve: (given) => (services = given) };
  } catch (error) {
    await hosts.stop();
    throw error;
  }
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
