import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import type { Cluster, ObjectName } from './cluster.ts';
import { DEPLOYMENTS, NETWORK_POLICIES, PODS, REPLICA_SETS, SECRETS, SERVICES } from './kinds.ts';
import {
  artifactSecretName,
  hostsServiceName,
  objectName,
  ownedBy,
  type Part,
  partName,
  partOf,
  pullSecretName,
  SPLIT,
  tokenSecretName,
  WHOLE,
} from './object-names.ts';

// Then a pod is killed. With 0 the API would forget the pod while it runs.
const GRACE_SECONDS = 1;
// A lost node confirms nothing: its pods are then deleted without it.
const FORGET_AFTER_MS = 20_000;
const POLL_MS = 100;
const PARTS = [...SPLIT, ...WHOLE];

/** Resolves when all objects of a revision and its processes are gone. */
export async function removeFromCluster(
  cluster: Cluster,
  platform: string,
  revisionId: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const selector = ownedBy(platform, revisionId);
  await removeAll(cluster, DEPLOYMENTS, selector);
  await endPods(cluster, selector, () =>
    log.warn({ revision_id: revisionId }, 'deleting pods whose end no node confirms'),
  );
  await removeAll(cluster, NETWORK_POLICIES, selector);
  await removeNamed(cluster, [
    ...objectsOf(revisionId, PARTS),
    { ...SERVICES, name: objectName(revisionId) },
    { ...SECRETS, name: artifactSecretName(revisionId) },
    { ...SECRETS, name: pullSecretName(revisionId) },
  ]);
}

/** Removes the objects of parts other than `parts`, and those of older versions with one pod per replica. */
export async function removeOtherParts(
  cluster: Cluster,
  platform: string,
  revisionId: string,
  parts: Part[],
): Promise<void> {
  const selector = ownedBy(platform, revisionId);
  const isOther = (object: KubernetesObject) => !parts.some((part) => part === partOf(object));
  await removeAll(cluster, DEPLOYMENTS, selector, isOther);
  await removeAll(cluster, NETWORK_POLICIES, selector, isOther);
  const unused = PARTS.filter((part) => !parts.includes(part));
  await removeNamed(cluster, objectsOf(revisionId, unused));
}

/** Secrets and Services of parts, and the Secret of an older version. */
const objectsOf = (revisionId: string, parts: Part[]): ObjectName[] => [
  { ...SECRETS, name: objectName(revisionId) },
  ...parts.map((part) => ({ ...SECRETS, name: partName(revisionId, part) })),
  ...(parts.includes('host')
    ? [
        { ...SECRETS, name: tokenSecretName(revisionId) },
        { ...SERVICES, name: hostsServiceName(revisionId) },
      ]
    : []),
];

async function removeNamed(cluster: Cluster, objects: ObjectName[]): Promise<void> {
  await Promise.all(objects.map((object) => cluster.remove(object)));
}

async function removeAll(
  cluster: Cluster,
  kind: Omit<ObjectName, 'name'>,
  selector: string,
  which: (object: KubernetesObject) => boolean = () => true,
): Promise<void> {
  const { items } = await cluster.list(kind, selector);
  await removeNamed(
    cluster,
    items.filter(which).map(({ metadata }) => ({ ...kind, name: metadata!.name! })),
  );
}

async function endPods(cluster: Cluster, selector: string, onForget: () => void): Promise<void> {
  const forgetAt = Date.now() + FORGET_AFTER_MS;
  for (let forgets = false; ; await sleep(POLL_MS)) {
    // They would replace the pods.
    await removeAll(cluster, REPLICA_SETS, selector);
    const { items } = await cluster.list(PODS, selector);
    if (items.length === 0) return;
    if (!forgets && Date.now() > forgetAt) {
      forgets = true;
      onForget();
    }
    const graceSeconds = forgets ? 0 : GRACE_SECONDS;
    const late = items.filter(
      ({ metadata }) =>
        !metadata!.deletionTimestamp || (metadata!.deletionGracePeriodSeconds ?? 0) > graceSeconds,
    );
    await Promise.all(
      late.map(({ metadata }) => cluster.remove({ ...PODS, name: metadata!.name! }, { graceSeconds })),
    );
  }
}
