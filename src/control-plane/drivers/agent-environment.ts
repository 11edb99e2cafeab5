import { hostsOf } from '../scaling/agent-limits.ts';
import type { AgentProvision } from './agent-provision.ts';

// Small, because many deployments share one Postgres.
const POOL = 10;

/** The project's variables: its revision's environment, and those that make its clients trace. */
export const projectVariables = (
  { environment, tracing }: Pick<AgentProvision, 'environment' | 'tracing'>,
  workDir: string,
): Record<string, string> => ({
  NODE_ENV: 'production',
  ...tracing,
  ...Object.fromEntries(environment.map(({ name, value }) => [name, value])),
  HOME: workDir,
  TMPDIR: workDir,
});

// Server settings that a deployment may choose; none of them names a program, a file or an address.
const CHOSEN =
  /^SLIPWAY_(?:LOG_LEVEL|CONCURRENCY|CACHED_WORKFLOWS|(?:RUN|HEARTBEAT|THREAD|LEAVE|EVENT|READER|KEEP_ALIVE|SWEEP|BODY|STATEMENT|WEBHOOK)_\w+)$/;

/** Variables for creating feedback URLs: always the platform's, never the project's own. */
const feedbackVariables = (tracing: Record<string, string>): Record<string, string> =>
  'SLIPWAY_FEEDBACK_URL' in tracing ? tracing : {};

/**
 * Environment of an agent's server: its database, Temporal and folder, without PATH and without the project's variables.
 */
export const serverEnvironment = (provision: AgentProvision, workDir: string): Record<string, string> => {
  const { config, revision, environment, databaseUrl, temporal, gatewayToken, tracing } = provision;
  const chosen = environment.filter(({ name }) => CHOSEN.test(name));
  return {
    NODE_ENV: 'production',
    ...feedbackVariables(tracing),
    ...Object.fromEntries(chosen.map(({ name, value }) => [name, value])),
    HOME: workDir,
    TMPDIR: workDir,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    ...(temporal.apiKey && { TEMPORAL_API_KEY: temporal.apiKey }),
    ...(temporal.tls && { TEMPORAL_TLS: 'true' }),
    SLIPWAY_DEPLOYMENT: revision.deployment_id,
    SLIPWAY_TASK_QUEUE: revision.id,
    SLIPWAY_GATEWAY_TOKEN: gatewayToken,
    SLIPWAY_DATA_DIR: workDir,
    SLIPWAY_DATABASE_POOL: String(POOL),
    SLIPWAY_HOSTS: String(hostsOf(revision)),
    SLIPWAY_GRACE_SECONDS: String(provision.graceSeconds),
    SLIPWAY_ANSWER_SECONDS: String(config.SLIPWAY_ANSWER_SECONDS),
    SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES: config.SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES,
  };
};
