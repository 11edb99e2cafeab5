import type { Queryable } from '../../platform/db/database.ts';

/** Seconds before instances of a revision that is neither active nor draining count as orphans: it may be retiring. */
const ORPHAN_SECONDS = 600;

/** Revisions with orphaned instances: failed, stopped, or `replaced` and never drained. */
export async function listOrphans(
  db: Queryable,
  host: string,
): Promise<{ revision_id: string; replaced: boolean }[]> {
  const { rows } = await db.query<{ revision_id: string; replaced: boolean }>(
    `select distinct i.revision_id, r.status in ('DEPLOYED', 'UNKNOWN') as replaced from control_plane.instance i
       join control_plane.revision r on r.id = i.revision_id
       join control_plane.deployment d on d.id = i.deployment_id
     where i.host = $1 and i.state in ('starting', 'running') and d.active_revision_id is distinct from r.id
       and not exists (select from control_plane.canary c where c.revision_id = r.id and c.state = 'watched')
       and (r.status in ('CREATE_FAILED', 'DEPLOY_FAILED', 'INTERRUPTED', 'SKIPPED')
         or r.status in ('DEPLOYED', 'UNKNOWN') and not exists (
             select from control_plane.traffic t where t.revision_id = r.id)
           and d.updated_at < now() - make_interval(secs => ${ORPHAN_SECONDS}))`,
    [host],
  );
  return rows;
}

/** Active revisions whose hosts are all silent. Sleeping revisions have no hosts. */
export async function listSilent(db: Queryable): Promise<string[]> {
  return revisionIds(db, 'DEPLOYED', 'bool_and(i.lease_until < now())');
}

/** Active revisions that were given up as silent, and one of whose hosts has reported again. */
export async function listHeardAgain(db: Queryable): Promise<string[]> {
  return revisionIds(db, 'UNKNOWN', 'bool_or(i.lease_until >= now())');
}

async function revisionIds(db: Queryable, status: string, condition: string): Promise<string[]> {
  const { rows } = await db.query<{ revision_id: string }>(
    `select i.revision_id from control_plane.instance i
       join control_plane.revision r on r.id = i.revision_id and r.status = $1
       join control_plane.deployment d on d.active_revision_id = r.id
     where i.state = 'running' group by i.revision_id having ${condition}`,
    [status],
  );
  return rows.map(({ revision_id }) => revision_id);
}
