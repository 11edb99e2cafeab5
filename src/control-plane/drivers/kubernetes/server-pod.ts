import type { V1PodTemplateSpec } from '@kubernetes/client-node';
import { heapOption, hostsOf, serverMemoryOf } from '../../scaling/agent-limits.ts';
import {
  AGENT,
  environmentOf,
  HOST_PORT,
  LINGER,
  type PodOptions,
  podTemplate,
  PORT,
  PROBE,
  SLIPWAY,
  startupProbe,
  TMP,
} from './agent-pod.ts';
import { serverResources } from './agent-resources.ts';
import { containerSecurity } from './confinement.ts';
import { tokenSecretName } from './object-names.ts';

/** The trusted part: serves the API with the deployment's credentials, and holds nothing of the project. */
export function serverPod(options: PodOptions): V1PodTemplateSpec {
  const { config, revision } = options;
  const heap = heapOption(serverMemoryOf(revision, config));
  return podTemplate(options, 'server', {
    containers: [
      {
        name: AGENT,
        image: config.SLIPWAY_KUBERNETES_IMAGE,
        imagePullPolicy: 'IfNotPresent',
        command: ['node', heap, SLIPWAY, 'serve'],
        args: ['--host=0.0.0.0', `--port=${PORT}`],
        envFrom: environmentOf(revision, 'server')!,
        env: [
          { name: 'SLIPWAY_HOST_LISTEN', value: `tcp:0.0.0.0:${HOST_PORT}` },
          {
            name: 'SLIPWAY_HOST_TOKEN',
            valueFrom: { secretKeyRef: { name: tokenSecretName(revision.id), key: 'token' } },
          },
          { name: 'SLIPWAY_HOSTS', value: String(hostsOf(revision)) },
        ],
        ports: [
          { name: 'http', containerPort: PORT, protocol: 'TCP' },
          { name: 'hosts', containerPort: HOST_PORT, protocol: 'TCP' },
        ],
        startupProbe: startupProbe(config),
        readinessProbe: PROBE,
        // A server waits for lost hosts: a restart would not help.
        livenessProbe: { ...PROBE, httpGet: { path: '/ok?check_hosts=false', port: PORT } },
        ...(LINGER && { lifecycle: LINGER }),
        resources: serverResources(revision, config),
        securityContext: containerSecurity,
        volumeMounts: [{ name: 'tmp', mountPath: TMP }],
      },
    ],
    volumes: [{ name: 'tmp', emptyDir: {} }],
  });
}
