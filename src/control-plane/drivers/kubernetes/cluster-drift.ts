import type { KubernetesObject, V1Deployment } from '@kubernetes/client-node';
import type { InstanceRow } from '../instance-repository.ts';
import { LABELS } from './object-names.ts';

/** What the cluster has of all revisions. */
export interface ClusterState {
  deployments: V1Deployment[];
  policies: KubernetesObject[];
}

export const revisionOf = ({ metadata }: KubernetesObject): string => metadata!.labels![LABELS.revision]!;

/** Revisions that run by their rows, and are not in the cluster as they were put there: somebody took them away. */
export function driftedRevisions(
  rows: Pick<InstanceRow, 'revision_id' | 'state'>[],
  { deployments, policies }: ClusterState,
): Set<string> {
  const guarded = new Set(policies.map(revisionOf));
  const replicas = new Map(deployments.map((one) => [revisionOf(one), one.spec?.replicas ?? 1]));
  const isDrifted = (id: string) => {
    const ofRevision = rows.filter(({ revision_id }) => revision_id === id);
    // What starts and what ends is somebody's work.
    if (ofRevision.some(({ state }) => state !== 'running')) return false;
    return replicas.get(id) !== ofRevision.length || !guarded.has(id);
  };
  return new Set(rows.map(({ revision_id }) => revision_id).filter(isDrifted));
}
