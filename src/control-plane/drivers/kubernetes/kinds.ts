/** The kinds of objects the driver uses, as the API names them. */
export const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' } as const;
/** From the optional metrics server. */
export const POD_METRICS = { apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics' } as const;
export const DEPLOYMENTS = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;
export const REPLICA_SETS = { apiVersion: 'apps/v1', kind: 'ReplicaSet' } as const;
export const SERVICES = { apiVersion: 'v1', kind: 'Service' } as const;
export const SECRETS = { apiVersion: 'v1', kind: 'Secret' } as const;
export const NETWORK_POLICIES = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' } as const;
