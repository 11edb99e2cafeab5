import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Cluster, ObjectName } from './cluster.ts';
import { DEPLOYMENTS, NETWORK_POLICIES, PODS, REPLICA_SETS, SECRETS, SERVICES } from './kinds.ts';
import { artifactSecretName, objectName, ownedBy, pullSecretName } from './object-names.ts';

// After that a pod is killed. None would be too little: the API would forget it while it runs.
const GRACE_SECONDS = 1;
// A node that is gone confirms no end; its pods are then taken off the list.
const FORGET_AFTER_MS = 20_000;
const POLL_MS = 100;

/** Everything of a revision is gone when it resolves, its processes too. */
export async function removeFromCluster(
  cluster: Cluster,
  platform: string,
  revisionId: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const selector = ownedBy(platform, revisionId);
  const name = objectName(revisionId);
  await cluster.remove({ ...DEPLOYMENTS, name });
  await endPods(cluster, selector, () =>
    log.warn({ revision_id: revisionId }, 'pods whose end no node confirms are forgotten'),
  );
  const rest: ObjectName[] = [
    { ...SERVICES, name },
    { ...SECRETS, name },
    { ...SECRETS, name: artifactSecretName(revisionId) },
    { ...SECRETS, name: pullSecretName(revisionId) },
    { ...NETWORK_POLICIES, name },
  ];
  await Promise.all(rest.map((object) => cluster.remove(object)));
}

async function endPods(cluster: Cluster, selector: string, onForget: () => void): Promise<void> {
  const forgetAt = Date.now() + FORGET_AFTER_MS;
  for (let forgets = false; ; await sleep(POLL_MS)) {
    // They would replace the pods that go.
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
