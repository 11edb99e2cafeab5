import type { Queryable } from '../../platform/db/database.ts';
import { holdProjects } from '../projects/held-projects.ts';
import { INSERT_PACK } from './pack-sql.ts';

/** A larger trace stays in rows: a pack is read as a whole. */
export const MOST_RUNS = 20_000;

/** Before which traces were written to last, and began; ISO 8601. */
export interface Times {
  quiet: string;
  began: string;
}

export interface Project {
  tenant_id: string;
  id: string;
}

export interface Trace {
  trace_id: string;
  runs: number;
}

/** What a trace's rows `r` are when it is over: of the tenant `$1`, in the project `$3`. */
export const IS_OVER = `max(updated_at) < $4 and max(start_time) < $5 and bool_and(project_id = $3) and count(*) <= ${MOST_RUNS}
  and not exists (select from tracing.usage_due d where d.tenant_id = $1 and d.run_id = any(array_agg(r.id)))
  and not exists (select from tracing.run_awaited a where a.tenant_id = $1 and a.id = any(array_agg(r.id)))`;

/**
 * Makes one pack of those of these traces that are over, or nothing where they went on meanwhile; returns how many runs
 * it has. Throws what `isProjectGone` knows.
 */
export async function packTraces(
  tx: Queryable,
  { tenant_id, id }: Project,
  traces: string[],
  times: Times,
): Promise<number> {
  const hold = holdProjects(tenant_id, [{ id, name: undefined }]);
  await tx.query(hold.text, hold.values);
  // Whoever is to change runs of before waits, and finds them in their pack then.
  await tx.query(`select pg_advisory_xact_lock(hashtext('tracing.pack'), hashtext($1))`, [tenant_id]);
  // What follows is not to mark its minutes to be counted again.
  await tx.query(`select set_config('slipway.packing', 'on', true)`);
  await tx.query(UNPACK_TRACES, [tenant_id, traces]);
  const whole = await holdWhole(tx, { tenant_id, id }, traces, times);
  if (whole.length === 0) return 0;
  const ids = whole.map(({ trace_id }) => trace_id);
  const held = whole.reduce((sum, { runs }) => sum + runs, 0);
  const { rows } = await tx.query<{ pack: number; runs: number }>(INSERT_PACK, [tenant_id, id, ids]);
  const { pack, runs } = rows[0]!;
  // Of those that came this moment nothing is held: they might change before they are deleted.
  if (runs !== held) {
    await tx.query('delete from tracing.run_pack where pack = $1', [pack]);
    return 0;
  }
  await tx.query(
    `delete from tracing.run r using tracing.run_pack k cross join lateral unnest(k.id, k.start_time) as u (id, start_time)
     where k.pack = $2 and r.tenant_id = $1 and r.id = u.id and r.start_time = u.start_time`,
    [tenant_id, pack],
  );
  return runs;
}

// Of a trace that went on, what is packed already, and what is said of its runs elsewhere: a run is in one place.
const UNPACK_TRACES = `with own as materialized (
    select id from tracing.run where tenant_id = $1 and trace_id = any($2::uuid[]))
  select tracing.unpack(array(select k.pack from tracing.run_pack k where k.tenant_id = $1
    and k.pack = any(tracing.packs_with_ids($2::uuid[] || array(select id from own)))
    and exists (select from unnest(k.id, k.trace_id) as u (id, trace_id)
      where u.trace_id = any($2::uuid[]) or u.id in (select id from own))))`;

/**
 * Holds the runs of those of these traces that are over, until the transaction ends. One of which somebody else holds a
 * run is left out: who packs waits for no row.
 */
async function holdWhole(
  tx: Queryable,
  { tenant_id, id }: Project,
  traces: string[],
  { quiet, began }: Times,
): Promise<Trace[]> {
  const { rows } = await tx.query<Trace>(
    `with held as materialized (
       select id, start_time, trace_id, project_id, updated_at from tracing.run
       where tenant_id = $1 and trace_id = any($2::uuid[]) for update skip locked),
     whole as (
       select trace_id, count(*) as runs from tracing.run where tenant_id = $1 and trace_id = any($2::uuid[]) group by 1)
     select trace_id, count(*) as runs from held r group by trace_id
     having ${IS_OVER} and count(*) = (select w.runs from whole w where w.trace_id = r.trace_id)`,
    [tenant_id, traces, id, quiet, began],
  );
  return rows;
}
