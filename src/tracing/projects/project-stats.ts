import type { Queryable } from '../../platform/db/database.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { ownFeedbackStatsOf, projectFeedbackStatsOf } from '../feedback/feedback-stats.ts';
import { ownsUsage } from '../usage/trace-totals.ts';

const SECONDS = 'extract(epoch from r.end_time - r.start_time)';
const FIRST_TOKEN = 'extract(epoch from r.first_token_time - r.start_time)';
const at = (share: number, of: string): string =>
  `percentile_cont(${share}) within group (order by ${of}) filter (where r.parent_run_id is null)`;
const sumOf = (column: string): string => `sum(r.${column}) filter (where ${ownsUsage('r')})`;

/**
 * What the runs of a project say, as SQL over `tracing.run r`. Counts, rates and times are those of traces, that is of
 * their roots; tokens and costs are those of whatever used them. Times are in seconds.
 */
export const STAT_COLUMNS: Record<string, string> = {
  run_count: 'count(*) filter (where r.parent_run_id is null)',
  latency_p50: at(0.5, SECONDS),
  latency_p95: at(0.95, SECONDS),
  latency_p99: at(0.99, SECONDS),
  first_token_p50: at(0.5, FIRST_TOKEN),
  first_token_p95: at(0.95, FIRST_TOKEN),
  first_token_p99: at(0.99, FIRST_TOKEN),
  total_tokens: sumOf('total_tokens'),
  prompt_tokens: sumOf('prompt_tokens'),
  completion_tokens: sumOf('completion_tokens'),
  total_cost: sumOf('total_cost'),
  prompt_cost: sumOf('prompt_cost'),
  completion_cost: sumOf('completion_cost'),
  error_rate: `avg((r.error is not null)::int) filter (where r.parent_run_id is null)`,
  streaming_rate: `avg((r.first_token_time is not null)::int) filter (where r.parent_run_id is null)`,
  last_run_start_time: 'max(r.start_time)',
};
// Other names of the same, to sort by.
STAT_COLUMNS['latency'] = STAT_COLUMNS['latency_p50']!;
STAT_COLUMNS['last_run_start_time_live'] = STAT_COLUMNS['last_run_start_time']!;

/** One statistic, `value`, of the project `p`. */
export const statSql = (expression: string): string =>
  `select ${expression} as value from tracing.run r
   where r.tenant_id = p.tenant_id and r.project_id = p.id and r.is_posted`;

const NUMBERS = Object.keys(STAT_COLUMNS).filter((name) => !/cost|_time|^latency$/.test(name));

/** Statistics of projects, by id, as they stand beside a project's own fields (contract §1.12). */
export async function statsOfProjects(
  db: Queryable,
  tenantId: string,
  ids: string[],
): Promise<Map<string, JsonObject>> {
  if (ids.length === 0) return new Map();
  const { latency: _, ...columns } = STAT_COLUMNS;
  const { rows } = await db.query<JsonObject & { project_id: string }>(
    `select r.project_id, ${Object.entries(columns)
      .map(([name, sql]) => `${NUMBERS.includes(name) ? `(${sql})::float8` : sql} as ${name}`)
      .join(', ')}
     from tracing.run r where r.tenant_id = $1 and r.project_id = any($2) and r.is_posted group by r.project_id`,
    [tenantId, ids],
  );
  const found = new Map(rows.map(({ project_id, ...stats }) => [project_id, stats]));
  const [ofRuns, ofThemselves] = await Promise.all([
    projectFeedbackStatsOf(db, tenantId, ids),
    ownFeedbackStatsOf(db, tenantId, ids),
  ]);
  return new Map(
    ids.map((id) => [
      id,
      {
        ...NO_RUNS,
        ...found.get(id),
        feedback_stats: ofRuns.get(id) ?? {},
        session_feedback_stats: ofThemselves.get(id) ?? {},
      },
    ]),
  );
}

const NO_RUNS: JsonObject = {
  ...Object.fromEntries(Object.keys(STAT_COLUMNS).map((name) => [name, null])),
  run_count: 0,
  run_facets: [],
};
