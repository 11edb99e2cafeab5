import type { V1Pod } from '@kubernetes/client-node';
import type { DriverOptions } from '../../src/control-plane/drivers/driver-options.ts';
import type { Cluster } from '../../src/control-plane/drivers/kubernetes/cluster.ts';
import type { KubernetesApi } from './kubernetes-api/api-server.ts';

/** A cluster that runs agents, which a test can inspect. */
export interface ClusterUnderTest {
  cluster: Cluster;
  /** Options of this driver, in addition to the common ones. */
  settings: Partial<DriverOptions['config']>;
  /** Addresses of Postgres and Temporal for its pods, and the names that the driver uses for them. */
  reached(options: DriverOptions): Pick<DriverOptions, 'databaseUrl' | 'temporal'>;
  /** Names of a revision's objects, as `pods/<name>`. */
  namesOf(revisionId: string): Promise<string[]>;
  podsOf(revisionId: string): Promise<V1Pod[]>;
  /** Ends the agent's program in a pod as a kill would. */
  crash(pod: V1Pod): Promise<void>;
  /** The API server and the node, if the tests started them. */
  api?: KubernetesApi;
  close(): Promise<void>;
}

/** An address of this machine's platform API, as seen from its pods. */
export interface OpenClusterOptions {
  options: DriverOptions;
  platformPort: number;
}
