import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { isProjectGone } from '../projects/held-projects.ts';
import { emptyWeeks } from './empty-weeks.ts';
import { IS_OVER, MOST_RUNS, packTraces, type Project, type Times, type Trace } from './pack-traces.ts';
import { YOUNGEST_MS } from './unpack-runs.ts';

/** About as many runs are a pack: who asks for one of them reads all. */
const RUNS = 2_000;
// Fewer are left as rows until there are more.
const LEAST_RUNS = 200;

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
  // What the turn before packed: whoever reads as of before it has found it by now.
  await emptyWeeks(db, times.began);
  let packed = 0;
  for (const project of rows) packed += await packProject(db, project, times, least);
  return packed;
}

async function packProject(db: Database, project: Project, times: Times, least: number): Promise<number> {
  let packed = 0;
  // Traces that stay rows, and have more of them further on.
  const left = new Set<string>();
  for (let after: After | undefined; ;) {
    const some = await nextRuns(db, project, times, after);
    if (some.length === 0) return packed;
    after = some.at(-1)!;
    const traces = [...new Set(some.map(({ trace_id }) => trace_id))].filter((id) => !left.has(id));
    const { quiet, others } = await lookAt(db, project, traces, { ...times, edge: after.start_time });
    for (const id of others) left.add(id);
    try {
      for (const group of intoPacks(quiet, least))
        packed += await inTransaction(db, (tx) => packTraces(tx, project, group, times));
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

/** Which of these traces are over, in their order, and of which others there are runs from `edge` on. Holds none. */
async function lookAt(
  db: Queryable,
  { tenant_id, id }: Project,
  traces: string[],
  { quiet, began, edge }: Times & { edge: string },
): Promise<{ quiet: Trace[]; others: string[] }> {
  const { rows } = await db.query<Trace & { is_over: boolean; goes_on: boolean }>(
    `select trace_id, count(*) as runs, ${IS_OVER} as is_over, max(start_time) >= $6 as goes_on
     from tracing.run r where r.tenant_id = $1 and r.trace_id = any($2::uuid[]) group by trace_id
     order by array_position($2::uuid[], trace_id)`,
    [tenant_id, traces, id, quiet, began, edge],
  );
  return {
    quiet: rows.filter(({ is_over }) => is_over),
    others: rows.filter(({ is_over, goes_on }) => !is_over && goes_on).map(({ trace_id }) => trace_id),
  };
}

/** Traces that are a pack together; too few of them wait for more. */
function intoPacks(traces: Trace[], least: number): string[][] {
  const groups: { ids: string[]; runs: number }[] = [];
  for (const { trace_id, runs } of traces) {
    let group = groups.at(-1);
    if (!group || group.runs >= RUNS || group.runs + runs > MOST_RUNS)
      groups.push((group = { ids: [], runs: 0 }));
    group.ids.push(trace_id);
    group.runs += runs;
  }
  return groups.filter(({ runs }) => runs >= least).map(({ ids }) => ids);
}
