import type { V1Container, V1PodTemplateSpec, V1Probe } from '@kubernetes/client-node';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../revisions/revision.ts';
import { drainMsOf, heapOption, memoryOf } from '../agent-limits.ts';
import { agentResources, type ScheduledSpec } from './agent-resources.ts';
import {
  confinedContainers,
  confinedVolumes,
  containerSecurity,
  podSecurity,
  refuseOwnNames,
} from './confinement.ts';
import { artifactSecretName, objectName, ownerLabels, pullSecretName } from './object-names.ts';
import type { PulledImage } from '../../registry/pushed-image.ts';

export const AGENT = 'agent';
export const FETCH = 'fetch-artifact';
export const PORT = 8_000;
/** Where the artifact is in the pod. */
const PROJECT_ROOT = '/srv/agent';
const SLIPWAY = '/app/dist/bin/slipway.js';
// Health as the field's data planes look at it (contract §3.6).
const OK = { httpGet: { path: '/ok', port: PORT } };
const PROBE: V1Probe = { ...OK, periodSeconds: 15, timeoutSeconds: 5, failureThreshold: 6 };
const STARTUP_PERIOD_SECONDS = 1;
// One that shows progress is waited for this many times as long.
const LONGEST_START = 3;
// Until every node has heard that the pod takes nothing new.
export const HEARD_SECONDS = 2;

interface Spec extends ScheduledSpec {
  labels?: Record<string, string> | null;
  annotations?: Record<string, string> | null;
  service_account_name?: string | null;
  image_pull_secrets?: { name: string }[] | null;
  volumes?: Record<string, unknown>[] | null;
  volume_mounts?: Record<string, unknown>[] | null;
  init_containers?: Record<string, unknown>[] | null;
  sidecars?: Record<string, unknown>[] | null;
}

const resourceSpec = ({ source_config }: Pick<RevisionRow, 'source_config'>): Spec =>
  source_config['resource_spec'] ?? {};

/**
 * The pod of a revision: its own image, or ours with the artifact, which an init container fetches. Throws StartFailed
 * for what the platform does not let a revision ask for.
 */
export function agentPod(
  config: ControlPlaneSettings,
  revision: RevisionRow,
  pulled: PulledImage | undefined,
): V1PodTemplateSpec {
  const spec = resourceSpec(revision);
  refuseOwnNames(spec.service_account_name, 'resource_spec.service_account_name');
  refuseOwnNames(spec.image_pull_secrets, 'resource_spec.image_pull_secrets');
  refuseOwnNames(
    revision.secret_references?.map(({ secret_name }) => secret_name),
    'secret_references',
  );
  const project = pulled === undefined;
  const pullSecrets = [
    ...(spec.image_pull_secrets ?? []),
    ...(pulled?.credential ? [{ name: pullSecretName(revision.id) }] : []),
  ];
  return {
    metadata: {
      labels: { ...spec.labels, ...ownerLabels(config.SLIPWAY_PLATFORM, revision) },
      ...(spec.annotations && { annotations: spec.annotations }),
    },
    spec: {
      // A token of the cluster's API is for those who ask for an account of their own.
      automountServiceAccountToken: Boolean(spec.service_account_name),
      enableServiceLinks: false,
      ...(spec.service_account_name && { serviceAccountName: spec.service_account_name }),
      ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets }),
      terminationGracePeriodSeconds: Math.ceil(drainMsOf(config) / 1000),
      securityContext: podSecurity,
      initContainers: [
        ...(project ? [fetchContainer(config, revision)] : []),
        ...confinedContainers(spec.init_containers ?? [], 'init_containers'),
      ],
      containers: [
        {
          ...(pulled ? { image: pulled.image } : serving(config, revision)),
          name: AGENT,
          imagePullPolicy: 'IfNotPresent',
          envFrom: [{ secretRef: { name: objectName(revision.id) } }],
          env: (revision.secret_references ?? []).map(({ name, secret_name, secret_key }) => ({
            name,
            valueFrom: { secretKeyRef: { name: secret_name, key: secret_key } },
          })),
          ports: [{ name: 'http', containerPort: PORT, protocol: 'TCP' }],
          startupProbe: {
            ...OK,
            periodSeconds: STARTUP_PERIOD_SECONDS,
            timeoutSeconds: PROBE.timeoutSeconds!,
            failureThreshold: Math.ceil(config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS * LONGEST_START),
          },
          readinessProbe: PROBE,
          livenessProbe: PROBE,
          lifecycle: { preStop: { exec: { command: ['/bin/sleep', String(HEARD_SECONDS)] } } },
          resources: agentResources(revision, spec, config),
          securityContext: containerSecurity,
          volumeMounts: [
            { name: 'tmp', mountPath: '/tmp' },
            ...(project ? [{ name: 'project', mountPath: PROJECT_ROOT, readOnly: true }] : []),
            ...((spec.volume_mounts ?? []) as unknown as V1Container['volumeMounts'] & object),
          ],
        },
        ...confinedContainers(spec.sidecars ?? [], 'sidecars'),
      ],
      volumes: [
        { name: 'tmp', emptyDir: {} },
        ...(project ? [{ name: 'project', emptyDir: {} }] : []),
        ...confinedVolumes(spec.volumes ?? []),
      ],
    },
  };
}

function serving(config: ControlPlaneSettings, revision: RevisionRow): Partial<V1Container> {
  const { graph_config_path = 'graph.json' } = revision.source_revision_config as {
    graph_config_path?: string;
  };
  return {
    image: config.SLIPWAY_KUBERNETES_IMAGE,
    workingDir: PROJECT_ROOT,
    command: ['node', heapOption(memoryOf(revision, config)), SLIPWAY, 'serve'],
    args: [`--config=${PROJECT_ROOT}/${graph_config_path}`, '--host=0.0.0.0', `--port=${PORT}`],
  };
}

const fetchContainer = (config: ControlPlaneSettings, revision: RevisionRow): V1Container => ({
  name: FETCH,
  image: config.SLIPWAY_KUBERNETES_IMAGE,
  imagePullPolicy: 'IfNotPresent',
  command: ['node', SLIPWAY, 'fetch-artifact'],
  args: [`--artifact=${revision.artifact}`, `--into=${PROJECT_ROOT}`],
  env: [
    {
      name: 'SLIPWAY_ARTIFACT_URL',
      valueFrom: { secretKeyRef: { name: artifactSecretName(revision.id), key: 'url' } },
    },
  ],
  resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
  securityContext: containerSecurity,
  volumeMounts: [
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'project', mountPath: PROJECT_ROOT },
  ],
});
