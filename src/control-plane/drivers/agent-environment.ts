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

/** All an agent is told beside its PATH: its revision's environment and where its own things are; nothing of ours. */
export const agentEnvironment = (options: AgentEnvironmentOptions): Record<string, string> => {
  const { revision, environment, databaseUrl, temporal, workDir, gatewayToken, tracing } = options;
  const { graceSeconds, answerSeconds, privateAddresses } = options;
  return {
    NODE_ENV: 'production',
    ...tracing,
    ...Object.fromEntries(environment.map(({ name, value }) => [name, value])),
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
    SLIPWAY_GRACE_SECONDS: String(graceSeconds),
    SLIPWAY_ANSWER_SECONDS: String(answerSeconds),
    SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES: privateAddresses,
  };
};
