import type { Queryable } from '../../platform/db/database.ts';
import type { ScaleState } from './scale-decision.ts';

/** Notified by a trigger with the id of a revision whose wanted replicas changed. */
export const SCALE_CHANNEL = 'slipway_scale';

/** Active, or has a share of the threads. */
export const IS_WANTED = `(d.active_revision_id = r.id
  or exists (select from control_plane.traffic t where t.revision_id = r.id))`;

/**
 * Sets a starting revision's replicas: at least `least`, or as many as the active revision up to `most`. Returns the
 * number.
 */
export async function beginScale(
  db: Queryable,
  revisionId: string,
  { least, most }: { least: number; most: number },
): Promise<number> {
  const { rows } = await db.query<{ replicas: number }>(
    `insert into control_plane.scale as s (revision_id, replicas, reached)
     select $1, wanted, wanted from (
       select least($3, greatest($2, (select serving.replicas from control_plane.revision r
         join control_plane.deployment d on d.id = r.deployment_id
         join control_plane.scale serving on serving.revision_id = d.active_revision_id where r.id = $1)))) f (wanted)
     on conflict (revision_id) do update set replicas = greatest(s.replicas, 1), reached = greatest(s.replicas, 1),
       last_request_at = clock_timestamp()
     returning replicas`,
    [revisionId, least, most],
  );
  return rows[0]!.replicas;
}

/** Stops scaling the revision. */
export async function endScale(db: Queryable, revisionId: string): Promise<void> {
  await db.query('delete from control_plane.scale where revision_id = $1', [revisionId]);
}

/** Whether the revision is active or a canary, and so must not be stopped. */
export async function isWanted(db: Queryable, revisionId: string): Promise<boolean> {
  const { rows } = await db.query(
    `select from control_plane.revision r join control_plane.deployment d on d.id = r.deployment_id
     where r.id = $1 and r.status in ('DEPLOYED', 'UNKNOWN') and d.status not like 'AWAITING%DELETE' and ${IS_WANTED}`,
    [revisionId],
  );
  return rows.length > 0;
}

/** Records that revisions are being requested now. */
export async function noteRequests(db: Queryable, revisionIds: string[]): Promise<void> {
  await db.query(
    `update control_plane.scale set last_request_at = clock_timestamp() where revision_id = any($1)`,
    [revisionIds],
  );
}

/** Wakes a sleeping active revision; ignores all others. */
export async function wakeRevision(db: Queryable, revisionId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update control_plane.scale s set replicas = 1, wake_at = null, last_request_at = clock_timestamp(), failures = 0
     where revision_id = $1 and replicas = 0
       and exists (select from control_plane.deployment d where d.active_revision_id = s.revision_id)`,
    [revisionId],
  );
  return rowCount === 1;
}

/** Wakes sleeping revisions that have work due. */
export async function wakeDue(db: Queryable): Promise<void> {
  await db.query(
    `update control_plane.scale set replicas = 1, wake_at = null, last_request_at = clock_timestamp(), failures = 0
     where replicas = 0 and wake_at <= clock_timestamp()`,
  );
}

/** A revision with what the sweep decides on. */
export interface ScaleRow extends ScaleState {
  revision_id: string;
  deployment_id: string;
  source_config: Record<string, unknown>;
  is_serving: boolean;
  idle_ms: number;
  cores: number | null;
  megabytes: number | null;
}

export async function listScaled(db: Queryable): Promise<ScaleRow[]> {
  const { rows } = await db.query<ScaleRow>(
    `select s.revision_id, s.replicas, r.deployment_id, r.source_config, d.active_revision_id = r.id as is_serving,
       extract(epoch from s.fewer_since)::float8 * 1000 as fewer_since, s.fewer_replicas,
       extract(epoch from clock_timestamp() - s.last_request_at)::float8 * 1000 as idle_ms,
       (select sum(cpu)::float8 from control_plane.instance i
        where i.revision_id = r.id and i.state = 'running') as cores,
       (select sum(memory_mb)::float8 from control_plane.instance i
        where i.revision_id = r.id and i.state = 'running') as megabytes
     from control_plane.scale s join control_plane.revision r on r.id = s.revision_id
       join control_plane.deployment d on d.id = r.deployment_id
     where d.status = 'READY' and r.status in ('DEPLOYED', 'UNKNOWN') and ${IS_WANTED}`,
  );
  return rows;
}

/** Stores a decision unless the number changed or a request arrived meanwhile. */
export async function decideTo(
  db: Queryable,
  { revision_id, replicas, idle_ms }: Pick<ScaleRow, 'revision_id' | 'replicas' | 'idle_ms'>,
  to: ScaleState & { wake_at: Date | null },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update control_plane.scale set replicas = $3, wake_at = $4, fewer_replicas = $6,
       fewer_since = to_timestamp($5::float8 / 1000)
     where revision_id = $1 and replicas = $2
       and ($3 > 0 or last_request_at <= clock_timestamp() - make_interval(secs => $7::float8 / 1000))`,
    [revision_id, replicas, to.replicas, to.wake_at, to.fewer_since, to.fewer_replicas, idle_ms],
  );
  return rowCount === 1;
}
