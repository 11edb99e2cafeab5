import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { holdProjects, isProjectGone } from '../projects/held-projects.ts';
import { emptyWeeks } from './empty-weeks.ts';
import { INSERT_PACK } from './pack-sql.ts';
import { YOUNGEST_MS } from './unpack-runs.ts';

/** About as many runs are a pack: who asks for one of them reads all. */
const RUNS = 2_000;
// Fewer are left as rows until there are more.
const LEAST_RUNS = 200;
// A larger trace stays in rows: a pack is read as a whole.
const MOST_RUNS = 20_000;

/** Before which traces were written to last, and began; ISO 8601. */
interface Times {
  quiet: string;
  began: string;
}

interface Project {
  tenant_id: string;
  id: string;
}

/** The last run looked at. */
interface After {
  start_time: string;
  id: string;
}

/**
 * Packs the traces that nobody has written to since `quiet`, where they began more than an hour ago. Harmless when it is
 * repeated or cut short: runs become a pack in one transaction. Returns how many were packed.
 */
export async function packRuns(db: Database, quiet: Date, least = LEAST_RUNS): Promise<number> {
  const times = {
    quiet: quiet.toISOString(),
    began: new Date(Math.min(quiet.getTime(), Date.now() - YOUNGEST_MS)).toISOString(),
  };
  const { rows } = await db.query<Project>('select tenant_id, id from tracing.project order by id');
  let packed = 0;
  for (const project of rows) packed += await packProject(db, project, times, least);
  await emptyWeeks(db, times.began);
  return packed;
}

async function packProject(db: Database, project: Project, times: Times, least: number): Promise<number> {
  let packed = 0;
  for (let after: After | undefined; ;) {
    const some = await nextRuns(db, project, times, after);
    if (some.length === 0) return packed;
    after = some.at(-1)!;
    const traces = [...new Set(some.map(({ trace_id }) => trace_id))];
    try {
      packed += await inTransaction(db, (tx) => packTraces(tx, project, traces, { ...times, least }));
    } catch (error) {
      if (isProjectGone(error)) return packed;
      throw error;
    }
    if (some.length < RUNS) return packed;
  }
}

async function nextRuns(
  db: Queryable,
  { id }: Project,
  { began }: Times,
  after: After | undefined,
): Promise<(After & { trace_id: string })[]> {
  const { rows } = await db.query<After & { trace_id: string }>(
    `select start_time, id, trace_id from tracing.run
     where project_id = $1 and start_time < $2
       and ($3::timestamptz is null or start_time >= $3 and (start_time > $3 or id > $4))
     order by start_time, id limit ${RUNS}`,
    [id, began, after?.start_time, after?.id],
  );
  return rows;
}

async function packTraces(
  tx: Queryable,
  { tenant_id, id }: Project,
  traces: string[],
  { least, ...times }: Times & { least: number },
): Promise<number> {
  const hold = holdProjects(tenant_id, [{ id, name: undefined }]);
  await tx.query(hold.text, hold.values);
  // Whoever is to change runs of before waits, and finds them in their pack then.
  await tx.query(`select pg_advisory_xact_lock(hashtext('tracing.pack'), hashtext($1))`, [tenant_id]);
  const whole = await quietTraces(tx, { tenant_id, id }, traces, times);
  if (whole.reduce((sum, { runs }) => sum + runs, 0) < least) return 0;
  const ids = whole.map(({ trace_id }) => trace_id);
  // Of a trace that went on, what is packed already: a trace is in one place.
  await tx.query(
    `select tracing.unpack(array(select k.pack from tracing.run_pack k where k.tenant_id = $1
       and k.pack = any(tracing.packs_with_ids($2::uuid[]))
       and exists (select from tracing.unpacked(k) u where u.trace_id = any($2::uuid[]))))`,
    [tenant_id, ids],
  );
  const { rows } = await tx.query<{ pack: number }>(INSERT_PACK, [tenant_id, id, ids]);
  const { rowCount } = await tx.query(
    `delete from tracing.run r using tracing.run_pack k cross join lateral unnest(k.id, k.start_time) as u (id, start_time)
     where k.pack = $2 and r.tenant_id = $1 and r.id = u.id and r.start_time = u.start_time`,
    [tenant_id, rows[0]!.pack],
  );
  return rowCount ?? 0;
}

/** Those of these traces that are over, with all of their runs held until the transaction ends. */
async function quietTraces(
  tx: Queryable,
  { tenant_id, id }: Project,
  traces: string[],
  { quiet, began }: Times,
): Promise<{ trace_id: string; runs: number }[]> {
  // What follows is not to mark its minutes to be counted again.
  await tx.query(`select set_config('slipway.packing', 'on', true)`);
  const { rows } = await tx.query<{ trace_id: string; runs: number }>(
    `with held as (
       select * from tracing.run r where r.tenant_id = $1 and r.trace_id = any($2::uuid[]) order by r.id for update)
     select trace_id, count(*) as runs from held r group by trace_id
     having max(updated_at) < $4 and max(start_time) < $5 and bool_and(project_id = $3) and count(*) <= ${MOST_RUNS}
       and not exists (select from tracing.usage_due d where d.tenant_id = $1 and d.run_id = any(array_agg(r.id)))
       and not exists (select from tracing.run_awaited a where a.tenant_id = $1 and a.id = any(array_agg(r.id)))`,
    [tenant_id, traces, id, quiet, began],
  );
  return rows;
}
