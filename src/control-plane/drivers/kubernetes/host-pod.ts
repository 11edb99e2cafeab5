import type { V1Container, V1EnvVar, V1PodTemplateSpec, V1Probe } from '@kubernetes/client-node';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { hostHeapOption } from '../../scaling/agent-limits.ts';
import {
  HOST_PORT,
  hostToken,
  HTTP,
  LINGER,
  mainContainer,
  type PodOptions,
  podTemplate,
  PORT,
  PROBE,
  SLIPWAY,
  TMP,
} from './agent-pod.ts';
import { agentResources } from './agent-resources.ts';
import { fetchContainer, PROJECT_ROOT } from './fetch-container.ts';
import { confinedContainers, confinedVolumes } from './confinement.ts';
import { hostsServiceName, type Part, pullSecretName } from './object-names.ts';
import { checkResourceSpec, resourceSpec } from './resource-spec.ts';

const HOST_READY: V1Probe = {
  ...PROBE,
  // A path no API serves: only `slipway host` answers it, not an image that serves the API itself.
  httpGet: { path: '/slipway-host', port: PORT },
  // Kubernetes ends unready pods first: hosts that lost their server must become unready soon.
  periodSeconds: 2,
  failureThreshold: 1,
};

/**
 * The part with the project's code: its own image, or ours with the artifact, which an init container fetches. `host`
 * runs graphs for its server; `agent` serves the API itself. Neither holds a credential of the platform. Throws
 * StartFailed for settings the platform refuses.
 */
export function projectPod(options: PodOptions, part: Exclude<Part, 'server'>): V1PodTemplateSpec {
  const { config, revision, pulled } = options;
  checkResourceSpec(revision);
  const spec = resourceSpec(revision);
  const isProject = pulled === undefined;
  const pullSecrets = [
    ...(spec.image_pull_secrets ?? []),
    ...(pulled?.credential ? [{ name: pullSecretName(revision.id) }] : []),
  ];
  const template = podTemplate(options, part, {
    // A token of the cluster's API is only for revisions with an account of their own.
    automountServiceAccountToken: Boolean(spec.service_account_name),
    ...(spec.service_account_name && { serviceAccountName: spec.service_account_name }),
    ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets }),
    initContainers: [
      ...(isProject ? [fetchContainer(config, revision)] : []),
      ...confinedContainers(spec.init_containers ?? [], 'init_containers'),
    ],
    containers: [
      {
        ...mainContainer(options, part),
        ...(pulled ? { image: pulled.image } : hostCommand(config, revision)),
        env: [...secretVariables(revision), ...(part === 'host' ? hostVariables(revision) : [])],
        ports: [HTTP],
        ...(part === 'agent' ? { livenessProbe: PROBE, lifecycle: LINGER } : { readinessProbe: HOST_READY }),
        resources: agentResources(revision, spec, config),
        volumeMounts: [
          { name: 'tmp', mountPath: TMP },
          ...(isProject ? [{ name: 'project', mountPath: PROJECT_ROOT, readOnly: true }] : []),
          ...((spec.volume_mounts ?? []) as unknown as V1Container['volumeMounts'] & object),
        ],
      },
      ...confinedContainers(spec.sidecars ?? [], 'sidecars'),
    ],
    volumes: [
      { name: 'tmp', emptyDir: {} },
      ...(isProject ? [{ name: 'project', emptyDir: {} }] : []),
      ...confinedVolumes(spec.volumes ?? []),
    ],
  });
  const { labels, annotations } = template.metadata!;
  template.metadata = {
    labels: { ...spec.labels, ...labels },
    ...(spec.annotations && { annotations: { ...spec.annotations, ...annotations } }),
  };
  return template;
}

const secretVariables = ({ secret_references }: RevisionRow): V1EnvVar[] =>
  (secret_references ?? []).map(({ name, secret_name, secret_key }) => ({
    name,
    valueFrom: { secretKeyRef: { name: secret_name, key: secret_key } },
  }));

const hostVariables = ({ id }: RevisionRow): V1EnvVar[] => [
  { name: 'SLIPWAY_HOST_ADDRESS', value: `tcp:${hostsServiceName(id)}:${HOST_PORT}` },
  { name: 'SLIPWAY_HOST_HEALTH', value: `tcp:0.0.0.0:${PORT}` },
  hostToken(id),
];

function hostCommand(config: ControlPlaneSettings, revision: RevisionRow): Partial<V1Container> {
  const { graph_config_path = 'graph.json' } = revision.source_revision_config as {
    graph_config_path?: string;
  };
  return {
    image: config.SLIPWAY_KUBERNETES_IMAGE,
    workingDir: PROJECT_ROOT,
    command: ['node', hostHeapOption(revision, config), SLIPWAY, 'host'],
    args: [`--config=${PROJECT_ROOT}/${graph_config_path}`],
  };
}
