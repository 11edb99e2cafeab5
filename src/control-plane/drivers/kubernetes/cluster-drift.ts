import type { KubernetesObject, V1Deployment } from '@kubernetes/client-node';
import type { InstanceRow } from '../instance-repository.ts';
import { LABELS, type Part, partOf, SPLIT, WHOLE } from './object-names.ts';

/** The platform's objects in the cluster, of all revisions. */
export interface ClusterState {
  deployments: V1Deployment[];
  policies: KubernetesObject[];
}

export const revisionOf = ({ metadata }: KubernetesObject): string => metadata!.labels![LABELS.revision]!;

const keyOf = (id: string, part: Part | undefined): string => `${id}/${part}`;
const keyOfObject = (object: KubernetesObject): string => keyOf(revisionOf(object), partOf(object));

/** Running revisions whose objects were removed or changed. */
export function driftedRevisions(
  rows: Pick<InstanceRow, 'revision_id' | 'state'>[],
  { deployments, policies }: ClusterState,
): Set<string> {
  const guarded = new Set(policies.map(keyOfObject));
  const replicas = new Map(deployments.map((one) => [keyOfObject(one), one.spec?.replicas ?? 1]));
  const isDrifted = (id: string) => {
    const ofRevision = rows.filter(({ revision_id }) => revision_id === id);
    // A start or a stop is under way.
    if (ofRevision.some(({ state }) => state !== 'running')) return false;
    const isThere = (part: Part) =>
      replicas.get(keyOf(id, part)) === ofRevision.length && guarded.has(keyOf(id, part));
    return !SPLIT.every(isThere) && !WHOLE.every(isThere);
  };
  return new Set(rows.map(({ revision_id }) => revision_id).filter(isDrifted));
}
