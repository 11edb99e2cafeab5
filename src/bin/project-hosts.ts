import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { Logger } from 'pino';
import type { AgentSettings } from '../agent-server/agent-settings.ts';
import { type AgentProject, agentProject } from '../agent-server/hosts/agent-project.ts';
import { SYSTEM_SETTINGS } from '../agent-server/assistants/system-settings.ts';
import { GraphHosts } from '../agent-server/hosts/graph-hosts.ts';
import type { HostLauncher } from '../agent-server/hosts/host-launcher.ts';
import type { HostServices } from '../agent-server/hosts/host-requests.ts';
import { LocalLauncher } from '../agent-server/hosts/local-launcher.ts';
import { relay } from '../agent-server/hosts/relay.ts';
import { RemoteLauncher } from '../agent-server/hosts/remote/remote-launcher.ts';
import type { ProjectFile } from '../agent-server/project/project-config.ts';
import { InvalidSetting } from '../platform/settings.ts';
import { projectCommand, type ProjectCommandOptions } from './project-command.ts';

// A host at a breakpoint doesn't answer.
const DEBUGGING_MS = 24 * 3_600_000;

export interface ProjectHosts {
  project: AgentProject;
  hosts: GraphHosts;
  /** What this server knows of the project's environment. */
  env: NodeJS.ProcessEnv;
  /** Answers requests of the project's code from now on. */
  serve(services: HostServices): void;
}

type HostsSettings = Pick<AgentSettings, 'SLIPWAY_HOSTS' | 'SLIPWAY_HOST_BLOCKED_SECONDS'>;

export interface ProjectHostsOptions extends Omit<ProjectCommandOptions, 'dir'> {
  file: ProjectFile;
  settings: ProjectCommandOptions['settings'] & HostsSettings;
}

/** Starts the processes that run the project's code, and has them load it. Throws InvalidProject, InvalidSetting. */
export async function startProjectHosts({ file, ...options }: ProjectHostsOptions): Promise<ProjectHosts> {
  const { settings, inspect, debugpy, log } = options;
  const launcher = new LocalLauncher(projectCommand({ dir: file.dir, ...options }));
  const isDebugged = inspect !== undefined || debugpy !== undefined;
  const dir = settings.SLIPWAY_HOST_PROJECT ?? file.dir;
  const overrides = isDebugged ? { count: 1, blockedMs: DEBUGGING_MS } : {};
  return start({ file, dir, env: options.env, launcher, log, ...countsOf(settings), ...overrides });
}

/** The same in another container, which has the project and connects to this server. */
export async function startRemoteHosts(settings: AgentSettings, log: Logger): Promise<ProjectHosts> {
  const { SLIPWAY_HOST_LISTEN: address, SLIPWAY_HOST_TOKEN: token } = settings;
  if (address === undefined || token === undefined)
    throw new InvalidSetting('SLIPWAY_HOST_LISTEN and SLIPWAY_HOST_TOKEN must be set together');
  if (settings.SLIPWAY_HOST_RELAY) await relay(settings.SLIPWAY_HOST_RELAY);
  const launcher = new RemoteLauncher({ address, token, log });
  const file = await launcher.open();
  // Headers of webhooks are filled in where the project is.
  const env = { [SYSTEM_SETTINGS]: file.assistants };
  return start({ file, dir: file.dir, env, launcher, log, ...countsOf(settings) });
}

const countsOf = ({ SLIPWAY_HOSTS, SLIPWAY_HOST_BLOCKED_SECONDS }: HostsSettings) => ({
  count: SLIPWAY_HOSTS ?? Math.max(1, availableParallelism() - 1),
  blockedMs: SLIPWAY_HOST_BLOCKED_SECONDS * 1000,
});

interface Start {
  file: ProjectFile;
  /** The project's folder as hosts see it. */
  dir: string;
  env: NodeJS.ProcessEnv;
  launcher: HostLauncher;
  count: number;
  blockedMs: number;
  log: Logger;
}

async function start({ file, dir, env, log, ...options }: Start): Promise<ProjectHosts> {
  let services: HostServices | undefined;
  const hosts = new GraphHosts({
    ...options,
    log,
    project: { dir, file: basename(file.file), config: file.config },
    services: () => {
      if (!services) throw new Error('The server is starting and cannot be called yet');
      return services;
    },
  });
  try {
    const description = await hosts.start();
    for (const warning of description.warnings) log.warn(warning);
    return { hosts, env, project: agentProject(file, description), serve: (given) => (services = given) };
  } catch (error) {
    await hosts.stop();
    throw error;
  }
}
