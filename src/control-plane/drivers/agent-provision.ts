import { createHmac } from 'node:crypto';
import type { TemporalAddress } from '../../platform/temporal/connection.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { ensureGatewayToken } from '../gateway/gateway-token.ts';
import type { RevisionRow } from '../records/revision.ts';
import { graceSecondsOf } from '../scaling/agent-limits.ts';
import type { Secret } from '../secrets/environment.ts';
import { ensureAgentDatabase } from './agent-database.ts';
import type { DriverOptions } from './driver-options.ts';
import { tracingEnvironment } from './tracing-environment.ts';

/** What the server of a revision's agent gets from the platform. */
export interface AgentProvision {
  config: Pick<ControlPlaneSettings, 'SLIPWAY_ANSWER_SECONDS' | 'SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES'>;
  revision: RevisionRow;
  environment: Secret[];
  databaseUrl: string;
  temporal: TemporalAddress;
  /** Token by which the agent recognises its gateways. */
  gatewayToken: string;
  /** Variables that make its clients trace; its own environment takes precedence. */
  tracing: Record<string, string>;
  graceSeconds: number;
}

/** Provides for a revision's agent; the same at every start. */
export async function provide(
  options: Pick<DriverOptions, 'config' | 'db' | 'box' | 'databaseUrl' | 'temporal'>,
  revision: RevisionRow,
  environment: Secret[],
): Promise<AgentProvision> {
  const { config, temporal } = options;
  return {
    config,
    revision,
    environment,
    temporal,
    databaseUrl: await ensureAgentDatabase(options, revision),
    gatewayToken: await ensureGatewayToken(options, revision.id),
    tracing: await tracingEnvironment(options, revision.deployment_id, environment),
    graceSeconds: graceSecondsOf(config),
  };
}

/** The token that graph hosts present to their server, which does not reveal the gateway's. */
export const hostTokenOf = ({ gatewayToken }: AgentProvision, hosts: string): string =>
  createHmac('sha256', gatewayToken).update(hosts).digest('base64url');
