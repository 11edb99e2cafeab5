import { Where } from '../../platform/db/where.ts';
import { InvalidRequest } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { attachFeedback, ownFeedbackStatsOf, projectFeedbackStatsOf } from '../feedback/feedback-stats.ts';
import { feedbackOfRuns } from '../query/feedback-of-runs.ts';
import type { Condition } from '../query/filter/condition.ts';
import { type QueryDeps, withoutBodies } from '../query/find-runs.ts';
import { readBounded } from '../query/read-bounded.ts';
import { type RunFacet, readFacets } from '../query/run-facets.ts';
import type { RunQuery } from '../query/run-query.ts';
import { conditionsOf } from '../query/run-query-sql.ts';
import { ownsUsage } from '../usage/trace-totals.ts';

const SECONDS = 'extract(epoch from r.end_time - r.start_time)';
const FIRST_TOKEN = 'extract(epoch from r.first_token_time - r.start_time)';
const at = (share: number, of: string): string =>
  `percentile_cont(${share}) within group (order by ${of}) filter (where r.parent_run_id is null)`;
const sumOf = (column: string): string => `sum(r.${column}) filter (where ${ownsUsage('r')})`;

/**
 * Statistics of a project as SQL over `tracing.run r`. Counts, rates and times cover root runs; tokens and costs
 * cover all runs. Times are in seconds.
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
// Aliases for sorting.
STAT_COLUMNS['latency'] = STAT_COLUMNS['latency_p50']!;
STAT_COLUMNS['last_run_start_time_live'] = STAT_COLUMNS['last_run_start_time']!;

/** One statistic, `value`, of the project `p`. */
export const statSql = (expression: string): string =>
  `select ${expression} as value from tracing.run r
   where r.tenant_id = p.tenant_id and r.project_id = p.id and r.is_posted`;

const NUMBERS = Object.keys(STAT_COLUMNS).filter((name) => !/cost|_time|^latency$/.test(name));

/** The statistics to compute and a filter on runs. */
export interface StatsOptions {
  /** Earliest start time, ISO 8601. */
  from?: string | undefined;
  filter?: Condition | undefined;
  select?: string[] | undefined;
}

const OF_FEEDBACK = ['feedback_stats', 'session_feedback_stats'];
const NAMES = [...Object.keys(STAT_COLUMNS).filter((name) => name !== 'latency'), ...OF_FEEDBACK];

/** Statistics by project id, in the form of project fields (contract §1.12). Throws InvalidRequest, TookTooLong. */
export async function statsOfProjects(
  deps: QueryDeps,
  tenantId: string,
  ids: string[],
  { from, filter, select }: StatsOptions = {},
): Promise<Map<string, JsonObject>> {
  const unknown = select?.find((name) => !NAMES.includes(name) && name !== 'run_facets');
  if (unknown !== undefined) throw new InvalidRequest(`Unknown project statistic '${unknown}'`);
  if (ids.length === 0) return new Map();
  const { db } = deps;
  const query = { tenant_id: tenantId, projects: ids, from, filter };
  const isSelected = (name: string) => select?.includes(name) ?? true;
  const isPart = from !== undefined || filter !== undefined;
  if (isPart && isSelected('feedback_stats')) await attachFeedback(db, tenantId);
  const [found, ofRuns, ofThemselves] = await Promise.all([
    countRuns(deps, query, isSelected),
    !isSelected('feedback_stats')
      ? undefined
      : isPart
        ? feedbackOfRuns(deps, query, { attribute: 'project_id', max_groups: ids.length })
        : projectFeedbackStatsOf(db, tenantId, ids),
    isSelected('session_feedback_stats') ? ownFeedbackStatsOf(db, tenantId, ids) : undefined,
  ]);
  return new Map(
    ids.map((id) => [
      id,
      {
        ...Object.fromEntries(Object.entries(NO_RUNS).filter(([name]) => isSelected(name))),
        ...found.get(id),
        ...(ofRuns && { feedback_stats: ofRuns.get(id) ?? {} }),
        ...(ofThemselves && { session_feedback_stats: ofThemselves.get(id) ?? {} }),
      },
    ]),
  );
}

/** Computes the statistics of each project that has runs. */
async function countRuns(
  deps: QueryDeps,
  unresolved: RunQuery,
  isSelected: (name: string) => boolean,
): Promise<Map<string, JsonObject>> {
  const columns = Object.entries(STAT_COLUMNS).filter(([name]) => name !== 'latency' && isSelected(name));
  if (columns.length === 0) return new Map();
  const where = new Where();
  const conditions = conditionsOf(await withoutBodies(deps, unresolved), where);
  const names = columns.map(
    ([name, sql]) => `${NUMBERS.includes(name) ? `(${sql})::float8` : sql} as ${name}`,
  );
  const rows = await readBounded<JsonObject & { project_id: string }>(
    deps.db,
    deps.config.SLIPWAY_TRACE_QUERY_SECONDS,
    {
      text: `select r.project_id, ${names.join(', ')} from tracing.run r
        where ${conditions.join(' and ')} and r.is_posted group by r.project_id`,
      values: where.values,
    },
  );
  return new Map(rows.map(({ project_id, ...stats }) => [project_id, stats]));
}

// Number of runs that facets are computed from.
const NEWEST_RUNS = 10_000;

/** Common values among the newest runs of a project. */
export async function facetsOfProject(
  deps: QueryDeps,
  tenantId: string,
  id: string,
  { from, filter }: StatsOptions = {},
): Promise<RunFacet[]> {
  const query = { tenant_id: tenantId, projects: [id], from, filter };
  return readFacets(deps, await withoutBodies(deps, query), NEWEST_RUNS);
}

const NO_RUNS: JsonObject = {
  ...Object.fromEntries(Object.keys(STAT_COLUMNS).map((name) => [name, null])),
  run_count: 0,
  run_facets: [],
};
