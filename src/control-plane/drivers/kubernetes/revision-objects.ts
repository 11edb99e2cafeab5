import { createHmac } from 'node:crypto';
import { configuredRules } from '../../fence/configured-rules.ts';
import { servicePorts } from '../../fence/service-addresses.ts';
import { ensureGatewayToken } from '../../gateway/gateway-token.ts';
import type { RevisionRow } from '../../records/revision.ts';
import type { Secret } from '../../secrets/environment.ts';
import { ensureAgentDatabase } from '../agent-database.ts';
import { apartEnvironment, projectVariables } from '../agent-environment.ts';
import { graceSecondsOf } from '../../scaling/agent-limits.ts';
import { tracingEnvironment } from '../tracing-environment.ts';
import { agentObjects } from './agent-objects.ts';
import { HEARD_SECONDS, PORT, TMP } from './agent-pod.ts';
import { artifactAddress } from './artifact-address.ts';
import type { KubernetesDriverOptions } from './kubernetes-driver-options.ts';
import type { Part } from './object-names.ts';
import { pulledImage } from './pull-secret.ts';

export interface RevisionObjectsOptions {
  revision: RevisionRow;
  environment: Secret[];
  replicas: number;
  parts: Part[];
}

/** The objects of a revision, with everything they need from the platform. Throws StartFailed. */
export async function revisionObjects(
  options: KubernetesDriverOptions,
  { revision, environment, replicas, parts }: RevisionObjectsOptions,
): Promise<ReturnType<typeof agentObjects>> {
  const { config, box, temporal, databaseUrl } = options;
  const gatewayToken = await ensureGatewayToken(options, revision.id);
  const about = {
    revision,
    environment,
    databaseUrl: await ensureAgentDatabase(options, revision),
    temporal,
    workDir: TMP,
    graceSeconds: Math.max(1, graceSecondsOf(config) - HEARD_SECONDS),
    gatewayToken,
    answerSeconds: config.SLIPWAY_ANSWER_SECONDS,
    privateAddresses: config.SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES,
    tracing: await tracingEnvironment(options, revision.deployment_id, environment),
  };
  const services = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporal.address };
  const listens = { HOST: '0.0.0.0', PORT: String(PORT) };
  const { PATH: _, ...variables } = projectVariables(about);
  const project = { ...variables, ...listens, SLIPWAY_DATA_DIR: TMP };
  return agentObjects({
    config,
    revision,
    parts,
    replicas,
    environments: { server: { ...apartEnvironment(about), ...listens }, host: project, agent: project },
    token: hostTokenOf(gatewayToken),
    servicePorts: servicePorts(services),
    fence: await configuredRules({ ...config, ...services }),
    artifactUrl: artifactAddress(config, box, revision),
    pulled: await pulledImage({ config, box }, revision),
  });
}

/** The same on every call, so that pods of different starts find each other; it does not reveal the gateway's token. */
const hostTokenOf = (gatewayToken: string): string =>
  createHmac('sha256', gatewayToken).update('graph host').digest('base64url');
