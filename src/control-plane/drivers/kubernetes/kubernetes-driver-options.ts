import type { DriverOptions } from '../driver-options.ts';
import type { Cluster } from './cluster.ts';

/** `host` is the cluster's namespace, as one of the hosts of the platform. */
export interface KubernetesDriverOptions extends Omit<DriverOptions, 'dataDir'> {
  cluster: Cluster;
}
