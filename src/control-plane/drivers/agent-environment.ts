import type { TemporalAddress } from '../../platform/temporal/connection.ts';
import type { RevisionRow } from '../records/revision.ts';
import type { Secret } from '../secrets/environment.ts';

export interface AgentEnvironmentOptions {
  revision: RevisionRow;
  environment: Secret[];
  databaseUrl: string;
  temporal: TemporalAddress;
  /** Folder the agent can write to. */
  workDir: string;
  /** Token by which the agent recognises its gateways. */
  gatewayToken: string;
  /** Variables that make its clients trace; its own environment takes precedence. */
  tracing: Record<string, string>;
  graceSeconds: number;
  answerSeconds: number;
  /** Private addresses that its webhooks may reach. */
  privateAddresses: string;
}

// Small, because many deployments share one Postgres.
const POOL = 10;

/** The project's variables: its revision's environment, and those that make its clients trace. */
export const projectVariables = ({
  environment,
  tracing,
  workDir,
}: Pick<AgentEnvironmentOptions, 'environment' | 'tracing' | 'workDir'>): Record<string, string> => ({
  NODE_ENV: 'production',
  ...tracing,
  ...Object.fromEntries(environment.map(({ name, value }) => [name, value])),
  HOME: workDir,
  TMPDIR: workDir,
});

/** The agent server's variables: its database, Temporal and folders. */
export const serverVariables = (options: AgentEnvironmentOptions): Record<string, string> => {
  const { revision, databaseUrl, temporal, workDir, gatewayToken } = options;
  const { graceSeconds, answerSeconds, privateAddresses } = options;
  return {
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
    SLIPWAY_GRACE_SECONDS: String(graceSeconds),
    SLIPWAY_ANSWER_SECONDS: String(answerSeconds),
    SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES: privateAddresses,
  };
};

// Server settings that a deployment may choose; none of them names a program, a file or an address.
const CHOSEN =
  /^SLIPWAY_(?:LOG_LEVEL|CONCURRENCY|CACHED_WORKFLOWS|(?:RUN|HEARTBEAT|THREAD|LEAVE|EVENT|READER|KEEP_ALIVE|SWEEP|BODY|STATEMENT|WEBHOOK)_\w+)$/;

/** Variables for creating feedback URLs: always the platform's, never the project's own. */
const feedbackVariables = (tracing: Record<string, string>): Record<string, string> =>
  'SLIPWAY_FEEDBACK_URL' in tracing ? tracing : {};

export interface ServerEnvironmentOptions extends AgentEnvironmentOptions {
  path: string;
  /** The project and its writable folder, as graph hosts see them. */
  host: { project: string; work: string };
  hosts: number;
  /** Prefix of a graph host's command. */
  hostPrefix: string[];
}

/** Environment of an agent's server whose graph hosts run elsewhere, without PATH and without the project's variables. */
export const apartEnvironment = (options: AgentEnvironmentOptions): Record<string, string> => {
  const { environment, workDir } = options;
  const chosen = environment.filter(({ name }) => CHOSEN.test(name));
  return {
    NODE_ENV: 'production',
    ...feedbackVariables(options.tracing),
    ...Object.fromEntries(chosen.map(({ name, value }) => [name, value])),
    HOME: workDir,
    TMPDIR: workDir,
    ...serverVariables(options),
  };
};

/** Environment of an agent server with confined graph hosts; only the hosts get the project's variables. */
export const serverEnvironment = (options: ServerEnvironmentOptions): Record<string, string> => {
  const { path, host, hosts, hostPrefix } = options;
  return {
    ...apartEnvironment(options),
    PATH: path,
    SLIPWAY_HOSTS: String(hosts),
    SLIPWAY_HOST_PROJECT: host.project,
    SLIPWAY_HOST_PREFIX: JSON.stringify(hostPrefix),
    SLIPWAY_PROJECT_ENV: JSON.stringify({
      ...projectVariables({ ...options, workDir: host.work }),
      PATH: path,
    }),
  };
};
