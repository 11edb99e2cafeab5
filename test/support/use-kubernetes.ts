import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';
import { artifactRoutes } from '../../src/control-plane/builds/artifact-routes.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import type { DriverOptions } from '../../src/control-plane/drivers/driver-options.ts';
import { createApp } from '../../src/platform/http/app.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { openFakeCluster } from './fake-cluster.ts';
import { openRealCluster, REAL } from './real-cluster.ts';

/**
 * A cluster, and as much of the platform's API as its pods need; stopped after the file's tests. The tests start their
 * own, unless the settings name a real one.
 */
export function useKubernetes(shared: () => DriverOptions): () => ClusterUnderTest {
  let kubernetes: ClusterUnderTest;
  let platform: Server;
  beforeAll(async () => {
    const options = shared();
    const app = createApp(artifactRoutes(configuredDeps(options)), { log: options.log, bodyLimit: 1_000 });
    const handle = app.callback();
    platform = createServer({ keepAliveTimeout: 0 }, (request, response) => void handle(request, response));
    const host = REAL.kubeconfig ? REAL.host : '127.0.0.1';
    await new Promise<void>((resolve) => platform.listen(0, host, resolve));
    const about = { options, platformPort: (platform.address() as AddressInfo).port };
    kubernetes = await (REAL.kubeconfig ? openRealCluster(about) : openFakeCluster(about));
  });
  afterAll(async () => {
    await kubernetes.close();
    platform.closeAllConnections();
    await new Promise((resolve) => platform.close(resolve));
  });
  return () => kubernetes;
}

const configuredDeps = ({ config, dataDir, box }: DriverOptions) =>
  ({ box, config: { ...config, SLIPWAY_DATA_DIR: dataDir } }) as ControlPlaneDeps;
