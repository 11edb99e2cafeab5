import type { V1Container } from '@kubernetes/client-node';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { SLIPWAY, TMP } from './agent-pod.ts';
import { containerSecurity } from './confinement.ts';
import { artifactSecretName } from './object-names.ts';

export const FETCH = 'fetch-artifact';
/** Folder of the artifact in the pod. */
export const PROJECT_ROOT = '/srv/agent';

/** Downloads the artifact before the project starts. */
export const fetchContainer = (config: ControlPlaneSettings, revision: RevisionRow): V1Container => ({
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
    { name: 'tmp', mountPath: TMP },
    { name: 'project', mountPath: PROJECT_ROOT },
  ],
});
