import { createHmac } from 'node:crypto';
import type Docker from 'dockerode';
import { StartFailed } from '../../errors.ts';
import type { Destination } from '../../fence/destinations.ts';
import { ensureGatewayToken } from '../../gateway/gateway-token.ts';
import { imageToPull } from '../../registry/pushed-image.ts';
import { recordArtifact } from '../../records/revision-repository.ts';
import type { RevisionRow } from '../../records/revision.ts';
import type { Secret } from '../../secrets/environment.ts';
import { isBuilt } from '../../vocabulary.ts';
import { ensureAgentDatabase } from '../agent-database.ts';
import { type AgentEnvironmentOptions, apartEnvironment, projectVariables } from '../agent-environment.ts';
import { graceSecondsOf, hostsOf } from '../../scaling/agent-limits.ts';
import { projectOf } from '../agent-project.ts';
import type { DriverOptions } from '../driver-options.ts';
import type { InstanceKey } from '../instance-repository.ts';
import { tracingAddresses, tracingEnvironment } from '../tracing-environment.ts';
import { holdsHosts, pinImage } from './container-image.ts';
import { HOST_NETWORK, type ReplicaPlan, SOCKET, TRACES, WORK_DIR } from './container-spec.ts';
import { refuseLoopback } from './reachable.ts';
import { traceRoute } from './trace-route.ts';

// Lifetime of a pull credential.
const PULL_SECONDS = 3_600;

export interface Planned {
  plan: ReplicaPlan;
  allow: Destination[];
}

interface About {
  revision: RevisionRow;
  key: InstanceKey;
  platform: string;
  environment: Secret[];
}

/** What a replica consists of. Pulls its image. Throws StartFailed. */
export async function planReplica(
  options: DriverOptions,
  docker: Docker,
  { revision, key, platform, environment }: About,
  signal?: AbortSignal,
): Promise<Planned> {
  const { config, dataDir } = options;
  const base = config.SLIPWAY_DOCKER_BASE_IMAGE;
  const project = isBuilt(revision.source) ? projectOf(dataDir, revision) : undefined;
  const image = project ? base : await imageOf(options, docker, revision, signal);
  const tracing = await tracingEnvironment(options, revision.deployment_id, environment);
  const own = { environment, tracing, workDir: WORK_DIR };
  const common = { revision, key, platform, base, image, project, config };
  if (!project && !(await holdsHosts(docker, image)))
    return { plan: { ...common, host: projectVariables(own) }, allow: await tracingAddresses(tracing) };
  const { server, token } = await serverOf(options, { revision, key }, own);
  const { tracing: led, relays } = traceRoute(tracing, TRACES);
  return {
    plan: {
      ...common,
      server: {
        ...server,
        SLIPWAY_HOST_LISTEN: SOCKET,
        SLIPWAY_HOST_TOKEN: token,
        ...(relays && { SLIPWAY_HOST_RELAY: relays.server }),
      },
      host: {
        ...projectVariables({ ...own, tracing: led }),
        SLIPWAY_HOST_ADDRESS: SOCKET,
        SLIPWAY_HOST_TOKEN: token,
        ...(relays && { SLIPWAY_HOST_RELAY: relays.host }),
      },
    },
    allow: relays ? [] : await tracingAddresses(tracing),
  };
}

async function serverOf(
  options: DriverOptions,
  { revision, key }: Pick<About, 'revision' | 'key'>,
  own: Pick<AgentEnvironmentOptions, 'environment' | 'tracing' | 'workDir'>,
): Promise<{ server: Record<string, string>; token: string }> {
  const { config, temporal } = options;
  const databaseUrl = await ensureAgentDatabase(options, revision);
  if (config.SLIPWAY_DOCKER_NETWORK !== HOST_NETWORK) refuseLoopback(databaseUrl, temporal.address);
  const gatewayToken = await ensureGatewayToken(options, revision.id);
  // The same for as long as the server lives, so that its hosts can be replaced.
  const token = createHmac('sha256', gatewayToken).update(`host/${key.replica}`).digest('base64url');
  const server = apartEnvironment({
    ...own,
    revision,
    databaseUrl,
    temporal,
    gatewayToken,
    graceSeconds: graceSecondsOf(config),
    answerSeconds: config.SLIPWAY_ANSWER_SECONDS,
    privateAddresses: config.SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES,
  });
  return { server: { ...server, SLIPWAY_HOSTS: String(hostsOf(revision)) }, token };
}

/** The image of a revision: the same at every start. */
async function imageOf(
  options: DriverOptions,
  docker: Docker,
  revision: RevisionRow,
  signal?: AbortSignal,
): Promise<string> {
  const { id, artifact, source_revision_config } = revision;
  const { image_uri } = source_revision_config;
  const uri = artifact ?? image_uri;
  if (typeof uri !== 'string') throw new StartFailed('it names no image');
  const { image, credential } = await imageToPull(options, { ...revision, image: uri }, PULL_SECONDS);
  const pinned = await pinImage(docker, image, credential, signal);
  if (pinned !== artifact) await recordArtifact(options.db, id, { artifact: pinned });
  return pinned;
}
