import { projectEnvironment } from '../agent-server/project/host-environment.ts';
import { readProjectConfig } from '../agent-server/project/project-config.ts';
import { readWebhookHeaders } from '../agent-server/webhooks/webhook-headers.ts';
import { createLog } from '../platform/log.ts';
import { startProjectHosts } from './project-hosts.ts';
import { prepareEnvironment } from './python-environment.ts';

/** Loads a project like a server and reports what it found. Throws InvalidProject. */
export async function check({ config = '.' }: { config?: string }): Promise<void> {
  const file = readProjectConfig(config);
  const warn = (message: string) => console.error(`warning: ${message}`);
  const { host: env } = projectEnvironment(file, process.env, warn);
  const { headers, env_prefix } = file.config.webhooks ?? {};
  readWebhookHeaders(headers, env, env_prefix);
  const python = process.env['SLIPWAY_PYTHON'];
  const settings = {
    SLIPWAY_HOSTS: 1,
    SLIPWAY_HOST_BLOCKED_SECONDS: 60,
    SLIPWAY_LOG_LEVEL: 'silent' as const,
    ...(python && { SLIPWAY_PYTHON: python }),
  };
  await prepareEnvironment(file, process.env, { dataDir: '.slipway', say: (line) => console.error(line) });
  const { hosts, project } = await startProjectHosts({ file, settings, env, log: createLog('silent') });
  for (const warning of project.description.warnings) warn(warning);
  for (const id of project.graphs.keys()) console.log(`graph '${id}' loads`);
  await hosts.stop();
}
