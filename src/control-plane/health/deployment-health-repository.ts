import type { Queryable } from '../../platform/db/database.ts';
import type { RevisionStatus } from '../records/revision-lifecycle.ts';

/** Health of the active and the newest revision. */
export interface HealthRow {
  deployment_id: string;
  active_revision_id: string | null;
  /** Wanted replicas of the active revision; null while undecided. */
  wanted: number | null;
  /** Its replicas by state: ready, starting, and ended or silent. */
  running: number;
  starting: number;
  failing: number;
  latest_id: string | null;
  latest_number: number | null;
  latest_status: RevisionStatus | null;
  latest_message: string | null;
  latest_at: string | null;
  latest_by: string | null;
  latest_reason: string | null;
}

/** Health of one tenant's deployments. */
export async function readHealth(
  db: Queryable,
  tenantId: string,
  { ids, limit, offset }: { ids?: string[] | undefined; limit: number; offset: number },
): Promise<HealthRow[]> {
  const { rows } = await db.query<HealthRow>(
    `select d.id as deployment_id, d.active_revision_id, s.replicas as wanted,
       coalesce(i.running, 0)::integer as running, coalesce(i.starting, 0)::integer as starting,
       coalesce(i.failing, 0)::integer as failing, r.id as latest_id, r.number as latest_number,
       r.status as latest_status, r.status_message as latest_message, r.created_at as latest_at,
       r.created_by as latest_by, r.reason as latest_reason
     from control_plane.deployment d
       left join control_plane.revision r on r.id = d.latest_revision_id
       left join control_plane.scale s on s.revision_id = d.active_revision_id
       left join lateral (select
         count(*) filter (where state = 'running' and restart_at is null and lease_until > now()) as running,
         count(*) filter (where state = 'starting' and restart_at is null) as starting,
         count(*) filter (where restart_at is not null or state = 'running' and lease_until <= now()) as failing
         from control_plane.instance where revision_id = d.active_revision_id and state in ('starting', 'running')) i
         on true
     where d.tenant_id = $1 and ($2::uuid[] is null or d.id = any($2))
     order by d.created_at desc, d.id desc limit $3 offset $4`,
    [tenantId, ids ?? null, limit, offset],
  );
  return rows;
}
