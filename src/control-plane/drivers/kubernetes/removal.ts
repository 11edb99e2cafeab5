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

/** Resolves when all objects of a revision and its processes are gone. */
export async function removeFromCluster(
  cluster: Cluster,
  platform: string,
  revisionId: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const selector = ownedBy(platform, revisionId);
  const name = objectName(revisionId);
  await removeAll(cluster, DEPLOYMENTS, selector);
  await endPods(cluster, selector, () =>
    log.warn({ revision_id: revisionId }, 'deleting pods whose end no node confirms'),
  );
  await removeAll(cluster, NETWORK_POLICIES, selector);
  const secrets = [...SPLIT, ...WHOLE].map((part) => partName(revisionId, part));
  const rest: ObjectName[] = [
    { ...SERVICES, name },
    { ...SERVICES, name: hostsServiceName(revisionId) },
    // From an older version.
    { ...SECRETS, name },
    ...secrets.map((secret) => ({ ...SECRETS, name: secret })),
    { ...SECRETS, name: tokenSecretName(revisionId) },
    { ...SECRETS, name: artifactSecretName(revisionId) },
    { ...SECRETS, name: pullSecretName(revisionId) },
  ];
  await Promise.all(rest.map((object) => cluster.remove(object)));
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
  const unused = [...SPLIT, ...WHOLE].filter((part) => !parts.includes(part));
  const secrets = [objectName(revisionId), ...unused.map((part) => partName(revisionId, part))];
  if (unused.includes('host')) secrets.push(tokenSecretName(revisionId));
  await Promise.all(secrets.map((name) => cluster.remove({ ...SECRETS, name })));
  if (unused.includes('host')) await cluster.remove({ ...SERVICES, name: hostsServiceName(revisionId) });
}

async function removeAll(
  cluster: Cluster,
  kind: Omit<ObjectName, 'name'>,
  selector: string,
  which: (object: KubernetesObject) => boolean = () => true,
): Promise<void> {
  const { items } = await cluster.list(kind, selector);
  await Promise.all(
    items.filter(which).map(({ metadata }) => cluster.remove({ ...kind, name: metadata!.name! })),
  );
}

async function endPods(cluster: Cluster, selector: string, onForget: () => void): Promise<void> {
  const forgetAt = Date.now() + FORGET_AFTER_MS;
  for (let forgets = false; ; await sleep(POLL_MS)) {
    // They would replace the pods.
    const sets = await cluster.list(REPLICA_SETS, selector);
    await Promise.all(
      sets.items.map(({ metadata }) => cluster.remove({ ...REPLICA_SETS, name: metadata!.name! })),
    );
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
