import type Docker from 'dockerode';
import { StartFailed } from '../../errors.ts';
import type { Destination } from '../../fence/destinations.ts';
import { imageToPull } from '../../registry/pushed-image.ts';
import { recordArtifact } from '../../records/revision-repository.ts';
import type { RevisionRow } from '../../records/revision.ts';
import type { Secret } from '../../secrets/environment.ts';
import { isBuilt } from '../../vocabulary.ts';
import { projectVariables, serverEnvironment } from '../agent-environment.ts';
import { hostTokenOf, provide } from '../agent-provision.ts';
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
  const common = { revision, key, platform, base, image, project, config };
  if (!project && !(await holdsHosts(docker, image))) {
    const tracing = await tracingEnvironment(options, revision.deployment_id, environment);
    const host = projectVariables({ environment, tracing }, WORK_DIR);
    return { plan: { ...common, host }, allow: await tracingAddresses(tracing) };
  }
  const provision = await provide(options, revision, environment);
  if (config.SLIPWAY_DOCKER_NETWORK !== HOST_NETWORK)
    refuseLoopback(provision.databaseUrl, options.temporal.address);
  const { tracing, relays } = traceRoute(provision.tracing, TRACES);
  // The same for as long as the server lives, so that its hosts can be replaced.
  const token = { SLIPWAY_HOST_TOKEN: hostTokenOf(provision, `host/${key.replica}`) };
  return {
    plan: {
      ...common,
      server: {
        ...serverEnvironment(provision, WORK_DIR),
        ...token,
        SLIPWAY_HOST_LISTEN: SOCKET,
        ...(relays && { SLIPWAY_HOST_RELAY: relays.server }),
      },
      host: {
        ...projectVariables({ environment, tracing }, WORK_DIR),
        ...token,
        SLIPWAY_HOST_ADDRESS: SOCKET,
        ...(relays && { SLIPWAY_HOST_RELAY: relays.host }),
      },
    },
    allow: relays ? [] : await tracingAddresses(tracing),
  };
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
