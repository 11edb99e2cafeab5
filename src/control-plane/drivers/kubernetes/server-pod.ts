import type { V1PodTemplateSpec } from '@kubernetes/client-node';
import { heapOption, serverMemoryOf } from '../../scaling/agent-limits.ts';
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
import { serverResources } from './agent-resources.ts';

/** The trusted part: serves the API with the deployment's credentials, and holds nothing of the project. */
export function serverPod(options: PodOptions): V1PodTemplateSpec {
  const { config, revision } = options;
  const heap = heapOption(serverMemoryOf(revision, config));
  return podTemplate(options, 'server', {
    containers: [
      {
        ...mainContainer(options, 'server'),
        image: config.SLIPWAY_KUBERNETES_IMAGE,
        command: ['node', heap, SLIPWAY, 'serve'],
        args: ['--host=0.0.0.0', `--port=${PORT}`],
        env: [{ name: 'SLIPWAY_HOST_LISTEN', value: `tcp:0.0.0.0:${HOST_PORT}` }, hostToken(revision.id)],
        ports: [HTTP, { name: 'hosts', containerPort: HOST_PORT, protocol: 'TCP' }],
        // A server waits for lost hosts: a restart would not help.
        livenessProbe: { ...PROBE, httpGet: { path: '/ok?check_hosts=false', port: PORT } },
        lifecycle: LINGER,
        resources: serverResources(revision, config),
        volumeMounts: [{ name: 'tmp', mountPath: TMP }],
      },
    ],
    volumes: [{ name: 'tmp', emptyDir: {} }],
  });
}
