import { createHash } from 'node:crypto';
import type {
  V1Deployment,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1Secret,
  V1Service,
  V1ServiceSpec,
} from '@kubernetes/client-node';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { FenceRules } from '../../fence/rules.ts';
import type { PulledImage } from '../../registry/pushed-image.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { HOST_PORT, PORT } from './agent-pod.ts';
import { projectPod } from './host-pod.ts';
import { networkPolicySpec } from './network-policy.ts';
import {
  artifactSecretName,
  hostsServiceName,
  objectName,
  ownerLabels,
  type Part,
  partLabels,
  partName,
  pullSecretName,
  tokenSecretName,
} from './object-names.ts';
import { pullSecret } from './pull-secret.ts';
import { serverPod } from './server-pod.ts';

export interface AgentObjectsOptions {
  config: ControlPlaneSettings;
  revision: RevisionRow;
  parts: Part[];
  /** Variables of each part's main container. */
  environments: Record<Part, Record<string, string>>;
  /** What hosts present to their server. */
  token: string;
  replicas: number;
  /** Ports of Postgres and Temporal. */
  servicePorts: number[];
  fence: FenceRules;
  /** Where the artifact is fetched; undefined for an image. */
  artifactUrl: string | undefined;
  /** The image, if the revision's source is one. */
  pulled: PulledImage | undefined;
}

type AgentObject = (V1Secret | V1NetworkPolicy | V1Service | V1Deployment) & {
  apiVersion: string;
  kind: string;
  metadata: V1ObjectMeta;
};

const HISTORY = 10;
const TEMPLATES = 'slipway.dev/templates';

/** All objects of a revision, in the order of their creation: nothing runs before its policy exists. */
export function agentObjects(options: AgentObjectsOptions): AgentObject[] {
  const { config, revision, parts, environments, token, artifactUrl, pulled } = options;
  const { id } = revision;
  const labels = ownerLabels(config.SLIPWAY_PLATFORM, revision);
  return [
    ...parts.map((part) => opaqueSecret({ name: partName(id, part), labels }, environments[part])),
    ...(parts.includes('host') ? [opaqueSecret({ name: tokenSecretName(id), labels }, { token })] : []),
    ...(artifactUrl ? [artifactSecret(config, revision, artifactUrl)] : []),
    ...(pulled?.credential ? [pullSecret({ name: pullSecretName(id), labels }, pulled.credential)] : []),
    ...policies(options, labels),
    ...services(options, labels),
    ...deployments(options, labels),
  ];
}

const policies = (
  { config, revision: { id }, parts, servicePorts, fence }: AgentObjectsOptions,
  labels: Record<string, string>,
): AgentObject[] =>
  parts.map((part) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: partName(id, part), labels: { ...labels, ...partLabels(id, part) } },
    spec: networkPolicySpec(part, {
      revisionId: id,
      platformNamespace: config.SLIPWAY_KUBERNETES_PLATFORM_NAMESPACE,
      servicePorts,
      fence,
    }),
  }));

function services(
  { revision: { id }, parts }: AgentObjectsOptions,
  labels: Record<string, string>,
): AgentObject[] {
  const service = (name: string, spec: V1ServiceSpec): AgentObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels },
    spec,
  });
  const [serving] = parts as [Part];
  // Gateways use the addresses of pods; this name is for scraping the metrics of all.
  const http = service(objectName(id), {
    clusterIP: 'None',
    selector: partLabels(id, serving),
    ports: [{ name: 'http', port: PORT, targetPort: PORT, protocol: 'TCP' }],
  });
  if (!parts.includes('host')) return [http];
  const hosts = service(hostsServiceName(id), {
    selector: partLabels(id, 'server'),
    // A server is ready once it has its hosts.
    publishNotReadyAddresses: true,
    ports: [{ name: 'hosts', port: HOST_PORT, targetPort: HOST_PORT, protocol: 'TCP' }],
  });
  return [http, hosts];
}

function deployments(options: AgentObjectsOptions, labels: Record<string, string>): AgentObject[] {
  const { config, revision, parts, replicas } = options;
  const templates = new Map(
    parts.map((part) => [part, part === 'server' ? serverPod(options) : projectPod(options, part)]),
  );
  // A new server waits for a new host and the other way round, so the parts are always replaced together.
  const digest = createHash('sha256')
    .update(JSON.stringify([...templates]))
    .digest('hex');
  for (const { metadata } of templates.values())
    metadata!.annotations = { ...metadata!.annotations, [TEMPLATES]: digest };
  return [...templates].map(([part, template]) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: partName(revision.id, part),
      labels: { ...labels, ...partLabels(revision.id, part) },
    },
    spec: {
      replicas,
      selector: { matchLabels: partLabels(revision.id, part) },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      revisionHistoryLimit: HISTORY,
      progressDeadlineSeconds: Math.ceil(config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS),
      template,
    },
  }));
}

/** A Secret of its own, because the address is renewed while the revision lives. */
export const artifactSecret = (
  config: ControlPlaneSettings,
  revision: Pick<RevisionRow, 'id' | 'deployment_id'>,
  url: string,
): AgentObject =>
  opaqueSecret(
    { name: artifactSecretName(revision.id), labels: ownerLabels(config.SLIPWAY_PLATFORM, revision) },
    { url },
  );

const opaqueSecret = (metadata: V1ObjectMeta, values: Record<string, string>): AgentObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  type: 'Opaque',
  data: Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
});
