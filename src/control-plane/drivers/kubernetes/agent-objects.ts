import type {
  V1Deployment,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1Secret,
  V1Service,
} from '@kubernetes/client-node';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../revisions/revision.ts';
import { agentPod, PORT } from './agent-pod.ts';
import { networkPolicySpec } from './network-policy.ts';
import { artifactSecretName, LABELS, objectName, ownerLabels, pullSecretName } from './object-names.ts';
import type { PulledImage } from '../../registry/pushed-image.ts';
import { pullSecret } from './pull-secret.ts';

export interface AgentObjectsOptions {
  config: ControlPlaneSettings;
  revision: RevisionRow;
  /** Everything the agent is told. */
  environment: Record<string, string>;
  replicas: number;
  /** Ports of Postgres and Temporal. */
  servicePorts: number[];
  /** Where the artifact is fetched; undefined for an image. */
  artifactUrl: string | undefined;
  /** The image, where it is one. */
  pulled: PulledImage | undefined;
}

type AgentObject = (V1Secret | V1NetworkPolicy | V1Service | V1Deployment) & {
  apiVersion: string;
  kind: string;
  metadata: V1ObjectMeta;
};

const HISTORY = 10;

/** Everything of a revision in the cluster, in the order it is to be made: nothing runs before it is fenced in. */
export function agentObjects(options: AgentObjectsOptions): AgentObject[] {
  const { config, revision, environment, replicas, servicePorts, artifactUrl, pulled } = options;
  const labels = ownerLabels(config.SLIPWAY_PLATFORM, revision);
  const name = objectName(revision.id);
  const selector = { [LABELS.revision]: revision.id };
  const metadata = { name, labels };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: base64(environment) },
    ...(artifactUrl ? [artifactSecret(config, revision, artifactUrl)] : []),
    ...(pulled?.credential
      ? [pullSecret({ name: pullSecretName(revision.id), labels }, pulled.credential)]
      : []),
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata,
      spec: networkPolicySpec({
        revisionId: revision.id,
        platformNamespace: config.SLIPWAY_KUBERNETES_PLATFORM_NAMESPACE,
        servicePorts,
        port: PORT,
      }),
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      // Gateways go to the pods themselves; its name leads whoever measures agents to all of them.
      spec: {
        clusterIP: 'None',
        selector,
        ports: [{ name: 'http', port: PORT, targetPort: PORT, protocol: 'TCP' }],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas,
        selector: { matchLabels: selector },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        revisionHistoryLimit: HISTORY,
        progressDeadlineSeconds: Math.ceil(config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS),
        template: agentPod(config, revision, pulled),
      },
    },
  ];
}

/** Its own object, because the address is renewed while the revision lives: pods may be made at any time. */
export const artifactSecret = (
  config: ControlPlaneSettings,
  revision: Pick<RevisionRow, 'id' | 'deployment_id'>,
  url: string,
): AgentObject & V1Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: artifactSecretName(revision.id),
    labels: ownerLabels(config.SLIPWAY_PLATFORM, revision),
  },
  type: 'Opaque',
  data: base64({ url }),
});

const base64 = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
