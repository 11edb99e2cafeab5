import type { V1Pod } from '@kubernetes/client-node';
import type { DriverOptions } from '../../src/control-plane/drivers/driver-options.ts';
import type { Cluster } from '../../src/control-plane/drivers/kubernetes/cluster.ts';
import type { KubernetesApi } from './kubernetes-api/api-server.ts';

/** A cluster that runs agents, which a test can inspect. */
export interface ClusterUnderTest {
  cluster: Cluster;
  /** Options of this driver, in addition to those of all drivers. */
  settings: Partial<DriverOptions['config']>;
  /** Where its pods find Postgres and Temporal, and under which name the driver has them. */
  reached(options: DriverOptions): Pick<DriverOptions, 'databaseUrl' | 'temporal'>;
  /** Names of a revision's objects, as `pods/<name>`. */
  namesOf(revisionId: string): Promise<string[]>;
  podsOf(revisionId: string): Promise<V1Pod[]>;
  /** Ends the agent's program in a pod as a kill would. */
  crash(pod: V1Pod): Promise<void>;
  /** The API server and the node themselves, where they are of the tests. */
  api?: KubernetesApi;
  close(): Promise<void>;
}

/** An address of the platform's API on this machine, as its pods find it. */
export interface OpenClusterOptions {
  options: DriverOptions;
  platformPort: number;
}
