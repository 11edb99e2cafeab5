import type { Queryable } from '../../platform/db/database.ts';
import type { RevisionCounts } from './traffic-counts.ts';
import { LATENCY_MS } from './traffic-counts.ts';

/** A revision's counts within a time window. */
export interface RevisionFigures extends RevisionCounts {
  revision_id: string;
  runs: number;
  failed_runs: number;
}

/** Adds counts to the current minute. Skips deleted revisions. */
export async function addTraffic(db: Queryable, counts: Map<string, RevisionCounts>): Promise<void> {
  if (counts.size === 0) return;
  const rows = Array.from(counts, ([revision_id, of]) => ({ revision_id, ...of }));
  await db.query(
    `insert into control_plane.revision_traffic as t (revision_id, minute, requests, failed, latency)
     select c.revision_id, date_trunc('minute', clock_timestamp()), c.requests, c.failed, c.latency
     from jsonb_to_recordset($1) as c (revision_id uuid, requests integer, failed integer, latency integer[])
     join control_plane.revision r on r.id = c.revision_id
     order by c.revision_id
     on conflict (revision_id, minute) do update set requests = t.requests + excluded.requests,
       failed = t.failed + excluded.failed,
       latency = array(select coalesce(a, 0) + coalesce(b, 0)
         from unnest(t.latency, excluded.latency) with ordinality as both_of (a, b, place) order by place)`,
    [JSON.stringify(rows)],
  );
}

/** Adds settled runs to the current minute. */
export async function addRuns(
  db: Queryable,
  revisionId: string,
  { runs, failed_runs }: { runs: number; failed_runs: number },
): Promise<void> {
  await db.query(
    `insert into control_plane.revision_traffic as t (revision_id, minute, runs, failed_runs)
     values ($1, date_trunc('minute', clock_timestamp()), $2, $3)
     on conflict (revision_id, minute) do update set runs = t.runs + excluded.runs,
       failed_runs = t.failed_runs + excluded.failed_runs`,
    [revisionId, runs, failed_runs],
  );
}

/** Figures per revision, zero without traffic. Whole minutes, so the first may start before the window. */
export async function readFigures(
  db: Queryable,
  revisionIds: string[],
  { seconds, since = new Date(0) }: { seconds: number; since?: Date },
): Promise<RevisionFigures[]> {
  const { rows } = await db.query<RevisionFigures>(
    `with counted as (
       select * from control_plane.revision_traffic where revision_id = any($1)
         and minute >= date_trunc('minute', greatest(clock_timestamp() - make_interval(secs => $2), $3)))
     select id as revision_id, coalesce(sum(requests), 0)::integer as requests,
       coalesce(sum(failed), 0)::integer as failed, coalesce(sum(runs), 0)::integer as runs,
       coalesce(sum(failed_runs), 0)::integer as failed_runs,
       array(select sum(number)::integer from counted l, unnest(l.latency) with ordinality as n (number, place)
         where l.revision_id = id group by place order by place) as latency
     from unnest($1::uuid[]) with ordinality as named (id, position) left join counted on revision_id = id
     group by id, position order by position`,
    [revisionIds, seconds, since],
  );
  return rows;
}

export async function forgetTraffic(db: Queryable, days: number): Promise<void> {
  await db.query(
    'delete from control_plane.revision_traffic where minute < clock_timestamp() - make_interval(days => $1)',
    [days],
  );
}

/** Upper bound in milliseconds of the bucket at this quantile; undefined without responses. */
export function latencyAt(latency: number[], part: number): number | undefined {
  const total = latency.reduce((sum, number) => sum + number, 0);
  if (total === 0) return undefined;
  let upTo = 0;
  const place = latency.findIndex((number) => (upTo += number) >= total * part);
  return LATENCY_MS[place] ?? Number.MAX_SAFE_INTEGER;
}
