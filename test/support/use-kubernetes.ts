import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { artifactRoutes } from '../../src/control-plane/builds/artifact-routes.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { type Cluster, openCluster } from '../../src/control-plane/drivers/kubernetes/cluster.ts';
import type { DriverOptions } from '../../src/control-plane/drivers/driver-options.ts';
import { createApp } from '../../src/platform/http/app.ts';
import { KubernetesApi } from './kubernetes-api/api-server.ts';

export interface Kubernetes {
  api: KubernetesApi;
  /** What the driver works with, beside what all drivers do. */
  settings: Pick<DriverOptions['config'], 'SLIPWAY_KUBECONFIG' | 'SLIPWAY_KUBERNETES_PLATFORM_URL'>;
  cluster: Cluster;
}

/** A cluster of one node, and as much of the platform's API as its pods need; ended after the file's tests. */
export function useKubernetes(shared: () => DriverOptions): () => Kubernetes {
  let kubernetes: Kubernetes;
  let platform: Server;
  beforeAll(async () => {
    const options = shared();
    const app = createApp(artifactRoutes(configuredDeps(options)), { log: options.log, bodyLimit: 1_000 });
    const handle = app.callback();
    platform = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
    const platformUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
    const api = await new KubernetesApi().listen();
    api.images.set('slipway:latest', { id: `slipway@sha256:${'0'.repeat(64)}` });
    const kubeconfig = join(options.dataDir, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(api.url));
    const settings = { SLIPWAY_KUBECONFIG: kubeconfig, SLIPWAY_KUBERNETES_PLATFORM_URL: platformUrl };
    const cluster = await openCluster({ ...options.config, ...settings });
    kubernetes = { api, settings, cluster };
  });
  afterAll(async () => {
    await kubernetes.api.close();
    platform.closeAllConnections();
    await new Promise((resolve) => platform.close(resolve));
  });
  return () => kubernetes;
}

const configuredDeps = ({ config, dataDir, box }: DriverOptions) =>
  ({ box, config: { ...config, SLIPWAY_DATA_DIR: dataDir } }) as ControlPlaneDeps;

const kubeconfigOf = (server: string): string => `
apiVersion: v1
kind: Config
current-context: test
clusters: [{ name: test, cluster: { server: '${server}', insecure-skip-tls-verify: true } }]
users: [{ name: test, user: { token: a-token } }]
contexts: [{ name: test, context: { cluster: test, user: test } }]
`;
