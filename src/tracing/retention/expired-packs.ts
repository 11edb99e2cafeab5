import type { Queryable } from '../../platform/db/database.ts';
import type { Kept } from './kept-projects.ts';

const PACKS = 20;

/**
 * Deletes one batch of a project's packs of which every run is too old, with what is attached to them; returns how many
 * runs went. Those of which a part is, or that may hold a trace that is kept longer, become rows first, as those do that
 * somebody is unpacking now.
 */
export async function deleteExpiredPacks(
  db: Queryable,
  { tenant_id, project_id, before, kept_before }: Kept,
): Promise<number> {
  const { rows } = await db.query<{ deleted: number }>(
    `with kept as (
       select array_agg(tracing.pack_key(trace_id)) as keys from tracing.kept_run where tenant_id = $1 and trace_id is not null),
     old as (
       select pack from tracing.run_pack k left join kept on true
       where tenant_id = $1 and project_id = $2
         and (last_start < $4 or last_start < $3 and not coalesce(k.keys && kept.keys, false))
       order by last_start limit ${PACKS} for update of k skip locked),
     gone as (delete from tracing.run_pack k using old where k.pack = old.pack returning k.*),
     run as (select u.id, u.start_time from gone g cross join lateral unnest(g.id, g.start_time) as u (id, start_time)),
     marked as (
       insert into tracing.run_minute_mark (tenant_id, project_id, minutes)
       select $1, $2, array_agg(distinct date_trunc('minute', start_time)) from run having count(*) > 0),
     detached as (delete from tracing.attachment a using run where a.tenant_id = $1 and a.run_id = run.id),
     named as (delete from tracing.kept_run k using run where k.tenant_id = $1 and k.run_id = run.id)
     select count(*) as deleted from run`,
    [tenant_id, project_id, before, kept_before],
  );
  return rows[0]!.deleted;
}

// A pack mostly goes as a whole within the day: it is not made rows of each hour for what went of it in that.
const LATE = `$3::timestamptz - interval '1 day'`;

/** Makes rows of one batch of packs in which something is too old for a day; returns how many packs. */
export async function unpackExpired(
  db: Queryable,
  { tenant_id, project_id, before, kept_before }: Kept,
): Promise<number> {
  const { rows } = await db.query<{ packs: number[] }>(
    `with old as (
       select pack from tracing.run_pack k where k.tenant_id = $1 and k.project_id = $2 and k.first_start < ${LATE}
         and exists (select from tracing.unpacked(k) u where u.start_time < ${LATE} and (u.start_time < $4 or not exists (
           select from tracing.kept_run r where r.tenant_id = $1 and r.trace_id = u.trace_id)))
       limit ${PACKS})
     select array_agg(pack) as packs from old having count(*) > 0`,
    [tenant_id, project_id, before, kept_before],
  );
  if (!rows[0]) return 0;
  await db.query('select tracing.unpack($1::bigint[])', [rows[0].packs]);
  return rows[0].packs.length;
}

/**
 * The packs after this one, in their order, whose kept traces have bodies that are to go before they do. `boundary` is
 * the first place that stays.
 */
export async function packsOfKept(
  db: Queryable,
  { tenant_id, project_id, kept_before }: Kept,
  boundary: string,
  after: number,
): Promise<number[]> {
  const { rows } = await db.query<{ pack: number }>(
    `select k.pack from tracing.run_pack k
     where k.tenant_id = $1 and k.project_id = $2 and k.last_start >= $3 and k.pack > $5
       and exists (select from tracing.unpacked(k) u where u.start_time >= $3
         and least(u.inputs, u.outputs, u.events, u.extra, u.serialized) < $4
         and u.trace_id in (select trace_id from tracing.kept_run where tenant_id = $1))
     order by k.pack`,
    [tenant_id, project_id, kept_before, boundary, after],
  );
  return rows.map(({ pack }) => pack);
}

/** The newest pack of a project, whose packs are made one after the other; 0 where it has none. */
export async function newestPack(db: Queryable, { tenant_id, project_id }: Kept): Promise<number> {
  const { rows } = await db.query<{ pack: number }>(
    'select coalesce(max(pack), 0) as pack from tracing.run_pack where tenant_id = $1 and project_id = $2',
    [tenant_id, project_id],
  );
  return rows[0]!.pack;
}
