import type { Queryable } from '../../platform/db/database.ts';
import { IS_WANTED } from './scale-repository.ts';

/**
 * Value of `reached` while the number of running replicas is unknown; it matches no wanted number, so a scaler acts.
 */
export const DRIFTED = -1;

// No scaler works on it, and the wanted number was reached.
const IS_SETTLED = `s.replicas = s.reached and (s.claimed_until is null or s.claimed_until < clock_timestamp())`;
const SERVES = `d.status = 'READY' and r.status in ('DEPLOYED', 'UNKNOWN') and ${IS_WANTED}`;
/** A host is given up after this silence, as in the drivers. */
const RUNS = `i.state = 'running' and i.lease_until >= now() - interval '5 minutes'`;

/** Revisions with fewer or more running instances than were reached: rows or hosts are gone. */
export async function listDrifted(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ revision_id: string }>(
    `select s.revision_id from control_plane.scale s join control_plane.revision r on r.id = s.revision_id
       join control_plane.deployment d on d.id = r.deployment_id
     where ${SERVES} and ${IS_SETTLED} and s.reached <>
       (select count(*) from control_plane.instance i where i.revision_id = s.revision_id and ${RUNS})`,
  );
  return rows.map(({ revision_id }) => revision_id);
}

/** Active revisions and canaries without a decided number of replicas. */
export async function listUnscaled(
  db: Queryable,
): Promise<{ revision_id: string; source_config: Record<string, unknown> }[]> {
  const { rows } = await db.query<{ revision_id: string; source_config: Record<string, unknown> }>(
    `select r.id as revision_id, r.source_config from control_plane.revision r
       join control_plane.deployment d on d.id = r.deployment_id
     where ${SERVES} and not exists (select from control_plane.scale s where s.revision_id = r.id)`,
  );
  return rows;
}

/**
 * Marks a revision whose running instances differ from the wanted ones, so that a scaler corrects it (contract §3.5).
 * False while a scaler works on it.
 */
export async function noteDrift(db: Queryable, revisionId: string): Promise<boolean> {
  const { rows } = await db.query<{ drifted: boolean }>(
    `with drifted as (
       update control_plane.scale s set reached = ${DRIFTED}
       from control_plane.revision r join control_plane.deployment d on d.id = r.deployment_id
       where s.revision_id = $1 and r.id = s.revision_id and ${SERVES} and ${IS_SETTLED} returning s.revision_id),
     marked as (
       update control_plane.revision r set remote_reconciled = false from drifted
       where r.id = drifted.revision_id returning r.id, r.deployment_id),
     noted as (
       update control_plane.deployment d set remote_reconciled = false from marked
       where d.id = marked.deployment_id and marked.id in (d.latest_revision_id, d.active_revision_id))
     select exists (select from drifted) as drifted`,
    [revisionId],
  );
  return rows[0]!.drifted;
}

/** Marks the revision as reconciled again. */
export async function noteReconciled(db: Queryable, revisionId: string): Promise<void> {
  await db.query(
    `with marked as (
       update control_plane.revision set remote_reconciled = true
       where id = $1 and status = 'DEPLOYED' and not remote_reconciled returning id, deployment_id)
     update control_plane.deployment d set remote_reconciled = not exists (
       select from control_plane.revision r where r.id in (d.latest_revision_id, d.active_revision_id)
         and r.id <> marked.id and not r.remote_reconciled)
     from marked where d.id = marked.deployment_id and marked.id in (d.latest_revision_id, d.active_revision_id)`,
    [revisionId],
  );
}
