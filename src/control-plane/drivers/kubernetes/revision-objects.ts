import { configuredRules } from '../../fence/configured-rules.ts';
import { servicePorts } from '../../fence/service-addresses.ts';
import type { RevisionRow } from '../../records/revision.ts';
import type { Secret } from '../../secrets/environment.ts';
import { projectVariables, serverEnvironment } from '../agent-environment.ts';
import { hostTokenOf, provide } from '../agent-provision.ts';
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
  const provision = await provide(options, revision, environment);
  // The preStop hook takes part of it.
  provision.graceSeconds = Math.max(1, provision.graceSeconds - HEARD_SECONDS);
  const services = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporal.address };
  const listens = { HOST: '0.0.0.0', PORT: String(PORT) };
  const { PATH: _, ...variables } = projectVariables(provision, TMP);
  const project = { ...variables, ...listens, SLIPWAY_DATA_DIR: TMP };
  return agentObjects({
    config,
    revision,
    parts,
    replicas,
    environments: {
      server: { ...serverEnvironment(provision, TMP), ...listens },
      host: project,
      agent: project,
    },
    token: hostTokenOf(provision, 'graph host'),
    servicePorts: servicePorts(services),
    fence: await configuredRules({ ...config, ...services }),
    artifactUrl: artifactAddress(config, box, revision),
    pulled: await pulledImage({ config, box }, revision),
  });
}
