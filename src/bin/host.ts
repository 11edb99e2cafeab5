import { basename } from 'node:path';
import { Type } from 'typebox';
import { AgentSettings } from '../agent-server/agent-settings.ts';
import { answerProbes } from '../agent-server/hosts/container/health-probes.ts';
import { HostContainer } from '../agent-server/hosts/container/host-container.ts';
import { relay } from '../agent-server/hosts/relay.ts';
import { SYSTEM_SETTINGS } from '../agent-server/assistants/system-settings.ts';
import { readProjectConfig, type ProjectFile } from '../agent-server/project/project-config.ts';
import { applyProjectEnv } from '../agent-server/project/project-env.ts';
import { readWebhookHeaders } from '../agent-server/webhooks/webhook-headers.ts';
import type { ProjectConfig } from '../graph-protocol/project-schema.ts';
import { createLog } from '../platform/log.ts';
import { InvalidSetting, readSettings } from '../platform/settings.ts';
import { projectCommand } from './project-command.ts';
import { prepareEnvironment } from './python-environment.ts';

const Settings = Type.Pick(AgentSettings, [
  'SLIPWAY_DATA_DIR',
  'SLIPWAY_HOST_ADDRESS',
  'SLIPWAY_HOST_HEALTH',
  'SLIPWAY_HOST_RELAY',
  'SLIPWAY_HOST_TOKEN',
  'SLIPWAY_LOG_LEVEL',
  'SLIPWAY_PYTHON',
]);

const OWN = ['SLIPWAY_HOST_ADDRESS', 'SLIPWAY_HOST_TOKEN', 'SLIPWAY_HOST_HEALTH', 'SLIPWAY_HOST_RELAY'];

/**
 * Runs a project's graph hosts for an agent server in another container. All of this container's environment is the
 * project's, except for `SLIPWAY_HOST_ADDRESS`, `_TOKEN`, `_HEALTH` and `_RELAY`. Throws InvalidProject and InvalidSetting.
 */
export async function host({ config = '.' }: { config?: string }): Promise<void> {
  const settings = readSettings(Settings, process.env);
  const { SLIPWAY_HOST_ADDRESS: address, SLIPWAY_HOST_TOKEN: token } = settings;
  if (address === undefined || token === undefined)
    throw new InvalidSetting('SLIPWAY_HOST_ADDRESS and SLIPWAY_HOST_TOKEN must be set');
  const log = createLog(settings.SLIPWAY_LOG_LEVEL);
  const file = readProjectConfig(config);
  const env = environmentOf(file, (message) => log.warn(message));
  const say = (line: string) => log.info(line);
  await prepareEnvironment(file, process.env, { dataDir: settings.SLIPWAY_DATA_DIR, say });
  const container = new HostContainer({
    address,
    token,
    project: {
      dir: file.dir,
      file: basename(file.file),
      config: withHeaders(file.config, env),
      assistants: env[SYSTEM_SETTINGS],
    },
    command: projectCommand({ dir: file.dir, settings, env, log }),
    log,
  });
  if (settings.SLIPWAY_HOST_HEALTH)
    await answerProbes(settings.SLIPWAY_HOST_HEALTH, () => container.isConnected);
  if (settings.SLIPWAY_HOST_RELAY) await relay(settings.SLIPWAY_HOST_RELAY);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => container.stop());
  await container.run();
  process.exit();
}

function environmentOf(file: ProjectFile, warn: (message: string) => void): Record<string, string> {
  const env = { ...process.env };
  for (const name of OWN) delete env[name];
  applyProjectEnv(file, env, warn);
  return env as Record<string, string>;
}

/** The server sends webhooks and has none of the project's variables. */
function withHeaders(config: ProjectConfig, env: NodeJS.ProcessEnv): ProjectConfig {
  if (!config.webhooks?.headers) return config;
  const { headers, env_prefix } = config.webhooks;
  return {
    ...config,
    webhooks: { ...config.webhooks, headers: readWebhookHeaders(headers, env, env_prefix) },
  };
}
