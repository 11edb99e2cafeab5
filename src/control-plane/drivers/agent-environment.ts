import type { TemporalAddress } from '../../platform/temporal/connection.ts';
import type { RevisionRow } from '../revisions/revision.ts';
import type { Secret } from '../secrets/environment.ts';

export interface AgentEnvironmentOptions {
  revision: RevisionRow;
  environment: Secret[];
  databaseUrl: string;
  temporal: TemporalAddress;
  /** A folder the agent may write to. */
  workDir: string;
  /** What its gateways say to it. */
  gatewayToken: string;
  /** What makes its clients log runs; its own environment wins. */
  tracing: Record<string, string>;
  graceSeconds: number;
  answerSeconds: number;
  /** Private addresses its webhooks may reach. */
  privateAddresses: string;
}

// Many deployments share one Postgres.
const POOL = 10;

/** The project's own: its revision's environment, and what makes its clients log runs. */
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

/** Variables of an agent's server: its database, its Temporal, its folders. */
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

/** Environment of an agent whose server and project share a container, without PATH. */
export const agentEnvironment = (options: AgentEnvironmentOptions): Record<string, string> => ({
  ...projectVariables(options),
  ...serverVariables(options),
});

// Settings of its server that a deployment may choose; none leads to a program, a file or an address.
const CHOSEN =
  /^SLIPWAY_(?:LOG_LEVEL|CONCURRENCY|CACHED_WORKFLOWS|(?:RUN|HEARTBEAT|THREAD|LEAVE|EVENT|READER|KEEP_ALIVE|SWEEP|BODY|STATEMENT|WEBHOOK)_\w+)$/;

/** Where the server opens addresses for feedback: at the platform, never where a project's own variables lead. */
const feedbackVariables = (tracing: Record<string, string>): Record<string, string> =>
  'SLIPWAY_FEEDBACK_URL' in tracing ? tracing : {};

export interface ServerEnvironmentOptions extends AgentEnvironmentOptions {
  path: string;
  /** The project, and the folder it may write to, as graph hosts see them. */
  host: { project: string; work: string };
  hosts: number;
  /** What is put before the command of a graph host. */
  hostPrefix: string[];
}

/** Environment of an agent's server whose graph hosts are confined; the project's variables go to the hosts alone. */
export const serverEnvironment = (options: ServerEnvironmentOptions): Record<string, string> => {
  const { environment, workDir, path, host, hosts, hostPrefix } = options;
  const chosen = environment.filter(({ name }) => CHOSEN.test(name));
  return {
    NODE_ENV: 'production',
    ...feedbackVariables(options.tracing),
    ...Object.fromEntries(chosen.map(({ name, value }) => [name, value])),
    PATH: path,
    HOME: workDir,
    TMPDIR: workDir,
    ...serverVariables(options),
    SLIPWAY_HOSTS: String(hosts),
    SLIPWAY_HOST_PROJECT: host.project,
    SLIPWAY_HOST_PREFIX: JSON.stringify(hostPrefix),
    SLIPWAY_PROJECT_ENV: JSON.stringify({
      ...projectVariables({ ...options, workDir: host.work }),
      PATH: path,
    }),
  };
};
