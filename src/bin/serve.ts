import { basename } from 'node:path';
import type { Logger } from 'pino';
import { AgentSettings } from '../agent-server/agent-settings.ts';
import { type ProjectEnvironment, projectEnvironment } from '../agent-server/project/host-environment.ts';
import { type ProjectFile, readProjectConfig } from '../agent-server/project/project-config.ts';
import { isLoopback } from '../platform/network-address.ts';
import { startEmbedded } from '../platform/embedded/embedded.ts';
import { freePort } from '../platform/http/free-port.ts';
import { createLog } from '../platform/log.ts';
import { readSettings } from '../platform/settings.ts';
import { type Role, startAgentProcess } from './agent-process.ts';
import { commandName, localUrl, printBanner } from './banner.ts';
import { type ProjectHosts, startProjectHosts, startRemoteHosts } from './project-hosts.ts';
import { prepareEnvironment } from './python-environment.ts';
import { onStopSignal, surviveStrayRejections } from './stop-signal.ts';
import { superviseProject } from './watch.ts';

export interface ServeOptions {
  config?: string;
  host?: string;
  port?: string;
  role?: Role;
  watch?: boolean;
  /** Port of Node's inspector in the graph host. */
  inspect?: string | true;
  /** Port of debugpy in the graph host. */
  debugPort?: string;
}

export interface Served {
  url: string | undefined;
  /** The project's folder. */
  folder: string;
  graphs: string[];
  access: 'guarded' | 'this machine' | 'anyone';
  temporalUiUrl: string | undefined;
}

/** An agent server: loads the project, starts services that aren't configured, and serves until stopped. */
export async function serve(options: ServeOptions, announce = announceServed): Promise<void> {
  // Images of projects start like this; where their server runs elsewhere, they hold its hosts.
  if (process.env['SLIPWAY_HOST_ADDRESS']) return (await import('./host.ts')).host(options);
  if (options.watch) return superviseProject(options.config);
  const warnings: string[] = [];
  const local = isRemote(process.env)
    ? undefined
    : readProject(options.config, (message) => warnings.push(message));
  const serverEnv = local?.env.server ?? process.env;
  const settings = readSettings(AgentSettings, {
    ...serverEnv,
    ...(options.host && { HOST: options.host }),
    ...(options.port && { PORT: options.port }),
  });
  const log = createLog(settings.SLIPWAY_LOG_LEVEL);
  for (const warning of warnings) log.warn(warning);
  surviveStrayRejections(log);
  // Services that started already would fill the log as they stop.
  if (options.role !== 'worker') await freePort(settings.HOST, settings.PORT);
  const starting = startEmbedded({
    dataDir: settings.SLIPWAY_DATA_DIR,
    databaseUrl: settings.DATABASE_URL,
    temporalAddress: settings.TEMPORAL_ADDRESS,
    namespace: settings.TEMPORAL_NAMESPACE,
    onProgress: (message) => log.info(message),
  });
  const [{ project, ...hosts }, embedded] = await together(
    local ? startLocalHosts(local, settings, options, log) : startRemoteHosts(settings, log),
    starting,
    (services) => services.stop(),
  );
  const agent = await startAgentProcess({
    config: { ...settings, DATABASE_URL: embedded.databaseUrl, TEMPORAL_ADDRESS: embedded.temporalAddress },
    project,
    hosts,
    serverEnv,
    role: options.role ?? 'all',
    log,
  }).catch(async (error: unknown) => {
    await hosts.hosts.stop();
    await embedded.stop();
    throw error;
  });
  onStopSignal(log, async () => {
    await agent.stop();
    await embedded.stop();
  });
  const isGuarded = project.config.auth?.path !== undefined || settings.SLIPWAY_GATEWAY_TOKEN !== undefined;
  announce(
    {
      url: agent.url,
      folder: project.dir,
      graphs: [...project.graphs.keys()],
      access: isGuarded ? 'guarded' : isLoopback(settings.HOST) ? 'this machine' : 'anyone',
      temporalUiUrl: embedded.temporalUiUrl,
    },
    log,
  );
}

const isRemote = (env: NodeJS.ProcessEnv): boolean => Boolean(env['SLIPWAY_HOST_LISTEN']);

interface LocalProject {
  file: ProjectFile;
  env: ProjectEnvironment;
}

function readProject(config = '.', warn: (message: string) => void): LocalProject {
  const file = readProjectConfig(config);
  return { file, env: projectEnvironment(file, process.env, warn) };
}

async function startLocalHosts(
  { file, env }: LocalProject,
  settings: AgentSettings,
  options: ServeOptions,
  log: Logger,
): Promise<ProjectHosts> {
  const say = (line: string) => log.info(line);
  await prepareEnvironment(file, process.env, { dataDir: settings.SLIPWAY_DATA_DIR, say });
  return startProjectHosts({
    file,
    settings,
    env: env.host,
    log,
    inspect: inspectAddress(options),
    debugpy: options.debugPort && `127.0.0.1:${options.debugPort}`,
  });
}

/** Waits for both. If the first fails, stops what the second started before throwing. */
async function together<A, B>(
  first: Promise<A>,
  second: Promise<B>,
  undo: (b: B) => Promise<void>,
): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second]);
  if (a.status === 'fulfilled' && b.status === 'fulfilled') return [a.value, b.value];
  if (b.status === 'fulfilled') await undo(b.value);
  throw a.status === 'rejected' ? a.reason : (b as PromiseRejectedResult).reason;
}

const INSPECT_PORT = '9229';

const inspectAddress = ({ inspect }: ServeOptions): string | undefined =>
  inspect && `127.0.0.1:${inspect === true ? INSPECT_PORT : inspect}`;

const KEY = {
  guarded: "as the project's auth asks",
  'this machine': 'none: only this machine reaches it',
  anyone: 'none: anyone who can reach it can use it',
};

function announceServed({ url, folder, graphs, access, temporalUiUrl }: Served, log: Logger): void {
  // Programs read the log, people the terminal.
  if (url && process.stdout.isTTY)
    printBanner(`${basename(folder)} is ready.`, [
      ['Graphs', graphs.join(', ')],
      ['API', `${localUrl(url)} (documentation: ${localUrl(url)}/docs)`],
      ['API key', KEY[access]],
      ['Next', `${commandName()} deploy (Ctrl+C stops the server)`],
    ]);
  else log.info({ url, temporal_ui: temporalUiUrl }, url ? `agent server ready at ${url}` : 'worker ready');
  if (url && access === 'anyone')
    log.warn(
      `anyone who can reach ${url} can use these agents, because the project has no auth (docs/authentication.md)`,
    );
}
