import type { Queryable } from '../../platform/db/database.ts';

/** What was said under one key of one run, or of all runs of a project (contract §1.10). */
export interface KeyStats {
  n: number;
  avg: number | null;
  stdev: number | null;
  errors: number;
  /** How often each value was said; the most frequent. */
  values: Record<string, number>;
  /** The newest. */
  comments: string[];
  sources: string[];
  min: number | null;
  max: number | null;
  show_feedback_arrow: boolean;
}

export type FeedbackStats = Record<string, KeyStats>;

const MOST_VALUES = 100;
const MOST_COMMENTS = 20;

export interface StatsRow extends Omit<KeyStats, 'show_feedback_arrow'> {
  owner: string;
  key: string;
}

/**
 * Statistics of feedback `f`, by owner and key. `owner` is an expression over `from`, which is what follows `from` of a
 * select. Values are counted apart: a key has many scores, and few values.
 */
export const feedbackStatsSql = (owner: string, from: string) => `
  with said as (
    select ${owner} as owner, f.key, f.score, f.comment, f.source_type, f.error, f.created_at,
      case when jsonb_typeof(f.value) <> 'object' then f.value #>> '{}' end as value
    from ${from}),
  counted as (
    select owner, key, value, count(*) as n, row_number() over (partition by owner, key order by count(*) desc, value) as place
    from said where value is not null group by owner, key, value),
  named as (
    select owner, key, jsonb_object_agg(value, n) as counts from counted where place <= ${MOST_VALUES} group by owner, key)
  select s.owner, s.key, count(*) as n, avg(s.score) as avg, stddev_pop(s.score) as stdev,
    min(s.score) as min, max(s.score) as max, count(*) filter (where s.error) as errors,
    coalesce((select n.counts from named n where n.owner = s.owner and n.key = s.key), '{}') as values,
    coalesce((array_agg(s.comment order by s.created_at desc) filter (where s.comment is not null))[1:${MOST_COMMENTS}], '{}') as comments,
    array_agg(distinct s.source_type) as sources
  from said s group by s.owner, s.key order by s.key`;

const ofTenant = (owner: 'run_id' | 'project_id', condition: string) =>
  feedbackStatsSql(`f.${owner}`, `tracing.feedback f where f.tenant_id = $1 and ${condition}`);
const OF_RUNS = ofTenant('run_id', 'f.run_id = any($2)');
const OF_PROJECTS = ofTenant('project_id', 'f.project_id = any($2) and f.run_id is not null');
const OF_PROJECTS_THEMSELVES = ofTenant('project_id', 'f.project_id = any($2) and f.run_id is null');

/** `feedback_stats` by run; a run of which nothing was said has none. */
export const feedbackStatsOf = (db: Queryable, tenantId: string, runIds: string[]) =>
  readStats(db, OF_RUNS, tenantId, runIds);

/** `feedback_stats` by project: what was said of its runs. */
export async function projectFeedbackStatsOf(db: Queryable, tenantId: string, projectIds: string[]) {
  await attachFeedback(db, tenantId);
  return readStats(db, OF_PROJECTS, tenantId, projectIds);
}

/** `session_feedback_stats` by project: what was said of itself, not of its runs. */
export const ownFeedbackStatsOf = (db: Queryable, tenantId: string, projectIds: string[]) =>
  readStats(db, OF_PROJECTS_THEMSELVES, tenantId, projectIds);

async function readStats(
  db: Queryable,
  text: string,
  tenantId: string,
  owners: string[],
): Promise<Map<string, FeedbackStats>> {
  if (owners.length === 0) return new Map();
  return byOwner((await db.query<StatsRow>(text, [tenantId, owners])).rows);
}

export function byOwner(rows: StatsRow[]): Map<string, FeedbackStats> {
  const stats = new Map<string, FeedbackStats>();
  for (const { owner, key, ...said } of rows) {
    const of = stats.get(owner) ?? {};
    stats.set(owner, of);
    of[key] = { ...said, show_feedback_arrow: false };
  }
  return stats;
}

/** Feedback that came before its run, and did not say of which project, belongs to that of the run. */
export async function attachFeedback(db: Queryable, tenantId: string): Promise<void> {
  await db.query(
    `update tracing.feedback f set project_id = r.project_id, trace_id = coalesce(f.trace_id, r.trace_id)
     from tracing.run r
     where f.tenant_id = $1 and f.project_id is null and f.created_at > clock_timestamp() - interval '1 day'
       and r.tenant_id = $1 and r.id = f.run_id`,
    [tenantId],
  );
}
