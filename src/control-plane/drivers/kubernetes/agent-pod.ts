import type { V1Container, V1EnvVar, V1PodTemplateSpec, V1Probe } from '@kubernetes/client-node';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { PulledImage } from '../../registry/pushed-image.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { drainMsOf } from '../../scaling/agent-limits.ts';
import { containerSecurity, podSecurity } from './confinement.ts';
import { ownerLabels, type Part, partLabels, partName, tokenSecretName } from './object-names.ts';

/** The main container of every part. */
export const AGENT = 'agent';
export const PORT = 8_000;
/** Where servers listen for their hosts. */
export const HOST_PORT = 8_001;
export const TMP = '/tmp';
export const SLIPWAY = '/app/dist/bin/slipway.js';
// Health as the field's data planes check it (contract §3.6).
export const PROBE = {
  httpGet: { path: '/ok', port: PORT },
  periodSeconds: 15,
  timeoutSeconds: 5,
  failureThreshold: 6,
} satisfies V1Probe;
const STARTUP_PERIOD_SECONDS = 1;
// A start that shows progress gets this many times the timeout.
const LONGEST_START = 3;
// Until every node knows that the pod accepts nothing new.
export const HEARD_SECONDS = 2;

export interface PodOptions {
  config: ControlPlaneSettings;
  revision: RevisionRow;
  /** The image, if the revision's source is one. */
  pulled: PulledImage | undefined;
}

/** Lets gateways learn that the pod ends before it gets SIGTERM. */
export const LINGER = {
  preStop: { exec: { command: ['/bin/sleep', String(HEARD_SECONDS)] } },
} satisfies V1Container['lifecycle'];

export const HTTP = { name: 'http', containerPort: PORT, protocol: 'TCP' };

/** What hosts present to their server. */
export const hostToken = (revisionId: string): V1EnvVar => ({
  name: 'SLIPWAY_HOST_TOKEN',
  valueFrom: { secretKeyRef: { name: tokenSecretName(revisionId), key: 'token' } },
});

/** What the main containers of all parts have in common. */
export const mainContainer = ({ config, revision }: PodOptions, part: Part) =>
  ({
    name: AGENT,
    imagePullPolicy: 'IfNotPresent',
    envFrom: [{ secretRef: { name: partName(revision.id, part) } }],
    startupProbe: {
      ...PROBE,
      periodSeconds: STARTUP_PERIOD_SECONDS,
      failureThreshold: Math.ceil(config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS * LONGEST_START),
    },
    readinessProbe: PROBE,
    securityContext: containerSecurity,
  }) satisfies V1Container;

/** What the pods of all parts have in common. */
export const podTemplate = (
  { config, revision }: PodOptions,
  part: Part,
  pod: Partial<NonNullable<V1PodTemplateSpec['spec']>> & { containers: V1Container[] },
): V1PodTemplateSpec & { spec: NonNullable<V1PodTemplateSpec['spec']> } => ({
  metadata: {
    labels: { ...ownerLabels(config.SLIPWAY_PLATFORM, revision), ...partLabels(revision.id, part) },
  },
  spec: {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: Math.ceil(drainMsOf(config) / 1000),
    securityContext: podSecurity,
    ...pod,
  },
});
