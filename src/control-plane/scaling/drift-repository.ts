import type { Queryable } from '../../platform/db/database.ts';
import { IS_WANTED } from './scale-repository.ts';

/** What `reached` is while it is not known what runs: no number, so that a scaler brings it to the wanted one. */
export const DRIFTED = -1;

// Nobody is at it, and what was wanted had been reached.
const IS_SETTLED = `s.replicas = s.reached and (s.claimed_until is null or s.claimed_until < clock_timestamp())`;
const SERVES = `d.status = 'READY' and r.status in ('DEPLOYED', 'UNKNOWN') and ${IS_WANTED}`;
/** A host that was silent for so long is given up, as the drivers see it. */
const RUNS = `i.state = 'running' and i.lease_until >= now() - interval '5 minutes'`;

/** Revisions that have not as many running instances as they were brought to: rows are gone, or hosts. */
export async function listDrifted(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ revision_id: string }>(
    `select s.revision_id from control_plane.scale s join control_plane.revision r on r.id = s.revision_id
       join control_plane.deployment d on d.id = r.deployment_id
     where ${SERVES} and ${IS_SETTLED} and s.reached <>
       (select count(*) from control_plane.instance i where i.revision_id = s.revision_id and ${RUNS})`,
  );
  return rows.map(({ revision_id }) => revision_id);
}

/** Revisions that serve, or are tried, and of which nobody knows how many there are to be. */
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
 * Whatever runs of a revision is not what should, so a scaler brings it there; until then it is not reconciled (contract
 * §3.5). False while somebody is at it.
 */
export async function noteDrift(db: Queryable, revisionId: string): Promise<boolean> {
  const { rows } = await db.query<{ drifted: boolean }>(
    `with drifted as (
       update control_plane.scale s set reached = ${DRIFTED}
       from control_plane.revision r join control_plane.deployment d on d.id = r.deployment_id
       where s.revision_id = $1 and r.id = s.revision_id and ${SERVES} and ${IS_SETTLED} returning s.revision_id),
     told as (
       update control_plane.revision r set remote_reconciled = false from drifted
       where r.id = drifted.revision_id returning r.id, r.deployment_id),
     noted as (
       update control_plane.deployment d set remote_reconciled = false from told
       where d.id = told.deployment_id and told.id in (d.latest_revision_id, d.active_revision_id))
     select exists (select from drifted) as drifted`,
    [revisionId],
  );
  return rows[0]!.drifted;
}

/** What should run of a revision does again. */
export async function noteReconciled(db: Queryable, revisionId: string): Promise<void> {
  await db.query(
    `with told as (
       update control_plane.revision set remote_reconciled = true
       where id = $1 and status = 'DEPLOYED' and not remote_reconciled returning id, deployment_id)
     update control_plane.deployment d set remote_reconciled = not exists (
       select from control_plane.revision r where r.id in (d.latest_revision_id, d.active_revision_id)
         and r.id <> told.id and not r.remote_reconciled)
     from told where d.id = told.deployment_id and told.id in (d.latest_revision_id, d.active_revision_id)`,
    [revisionId],
  );
}
