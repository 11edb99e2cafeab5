import type { Queryable } from '../../platform/db/database.ts';
import type { CanaryPlan, CanaryRow } from './canary.ts';

const COLUMNS = 'revision_id, deployment_id, plan, state, reason, by_hand, seen, began_at, ended_at';

/** Starts or restarts a canary. Returns false when it is running already. */
export async function openCanary(
  tx: Queryable,
  canary: { revision_id: string; deployment_id: string; plan: CanaryPlan },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into control_plane.canary as c (revision_id, deployment_id, plan) values ($1, $2, $3)
     on conflict (revision_id) do update set plan = excluded.plan, state = 'watched', reason = null, by_hand = false, seen = '{}',
       began_at = clock_timestamp(), ended_at = null where c.state <> 'watched'`,
    [canary.revision_id, canary.deployment_id, JSON.stringify(canary.plan)],
  );
  return rowCount === 1;
}

/** `lock` holds its counters and state until the transaction ends. */
export async function findCanary(
  db: Queryable,
  revisionId: string,
  { lock = false } = {},
): Promise<CanaryRow | undefined> {
  const { rows } = await db.query<CanaryRow>(
    `select ${COLUMNS} from control_plane.canary where revision_id = $1 ${lock ? 'for update' : ''}`,
    [revisionId],
  );
  return rows[0];
}

/**
 * Locks the canary's deployment, then reads the canary. Every change of shares holds that lock, so a canary read
 * before it could miss a change made by hand.
 */
export async function holdCanary(tx: Queryable, revisionId: string): Promise<CanaryRow | undefined> {
  await tx.query(
    `select from control_plane.deployment
     where id = (select deployment_id from control_plane.canary where revision_id = $1) for update`,
    [revisionId],
  );
  return findCanary(tx, revisionId);
}

/** Running canaries of all deployments that started more than `forSeconds` ago. */
export async function listWatched(db: Queryable, forSeconds: number): Promise<CanaryRow[]> {
  const { rows } = await db.query<CanaryRow>(
    `select ${COLUMNS} from control_plane.canary
     where state = 'watched' and began_at < clock_timestamp() - make_interval(secs => $1)`,
    [forSeconds],
  );
  return rows;
}

/** Keeps shares set by hand until the second step. */
export async function noteSharesByHand(tx: Queryable, deploymentId: string): Promise<void> {
  await tx.query(
    `update control_plane.canary set by_hand = true where deployment_id = $1 and state = 'watched'`,
    [deploymentId],
  );
}

/** Running canaries of a deployment. */
export async function listWatchedOf(db: Queryable, deploymentId: string): Promise<string[]> {
  const { rows } = await db.query<{ revision_id: string }>(
    `select revision_id from control_plane.canary where deployment_id = $1 and state = 'watched'
     order by began_at, revision_id`,
    [deploymentId],
  );
  return rows.map(({ revision_id }) => revision_id);
}

/** Returns false when it had ended already. */
export async function closeCanary(
  tx: Queryable,
  revisionId: string,
  outcome: 'promoted' | 'aborted',
  reason: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update control_plane.canary set state = $2, reason = $3, ended_at = clock_timestamp()
     where revision_id = $1 and state = 'watched'`,
    [revisionId, outcome, reason],
  );
  return rowCount === 1;
}

export async function noteSeen(tx: Queryable, revisionId: string, seen: CanaryRow['seen']): Promise<void> {
  await tx.query('update control_plane.canary set seen = $2 where revision_id = $1', [
    revisionId,
    JSON.stringify(seen),
  ]);
}

/** The deployment's active revision and tenant, and whether that revision is newer than the canary. */
export async function findSetting(
  db: Queryable,
  { deployment_id, revision_id }: { deployment_id: string; revision_id: string },
): Promise<{ tenant_id: string; serving: string | null; is_newer: boolean; is_going: boolean } | undefined> {
  const { rows } = await db.query<{
    tenant_id: string;
    serving: string | null;
    is_newer: boolean;
    is_going: boolean;
  }>(
    `select d.tenant_id, d.active_revision_id as serving, coalesce(s.number > c.number, false) as is_newer,
       d.status like 'AWAITING%DELETE' as is_going
     from control_plane.deployment d join control_plane.revision c on c.id = $2
     left join control_plane.revision s on s.id = d.active_revision_id where d.id = $1`,
    [deployment_id, revision_id],
  );
  return rows[0];
}
