import type { Queryable } from '../../platform/db/database.ts';

/** Feedback statistics of one key, for a run or for all runs of a project (contract §1.10). */
export interface KeyStats {
  n: number;
  avg: number | null;
  stdev: number | null;
  errors: number;
  /** Counts of the most frequent values. */
  values: Record<string, number>;
  /** The newest comments. */
  comments: string[];
  sources: string[];
  min: number | null;
  max: number | null;
  show_feedback_arrow: boolean;
}

export type FeedbackStats = Record<string, KeyStats>;

const MAX_VALUES = 100;
const MAX_COMMENTS = 20;

export interface StatsRow extends Omit<KeyStats, 'show_feedback_arrow'> {
  owner: string;
  key: string;
}

/**
 * Statistics of feedback `f` by owner and key. `owner` is a SQL expression over `from`, the text after `from` in a
 * select. Values are aggregated separately, because a key has many scores but few values.
 */
export const feedbackStatsSql = (owner: string, from: string) => `
  with given as (
    select ${owner} as owner, f.key, f.score, f.comment, f.source_type, f.error, f.created_at,
      case when jsonb_typeof(f.value) <> 'object' then f.value #>> '{}' end as value
    from ${from}),
  counted as (
    select owner, key, value, count(*) as n, row_number() over (partition by owner, key order by count(*) desc, value) as place
    from given where value is not null group by owner, key, value),
  named as (
    select owner, key, jsonb_object_agg(value, n) as counts from counted where place <= ${MAX_VALUES} group by owner, key)
  select s.owner, s.key, count(*) as n, avg(s.score) as avg, stddev_pop(s.score) as stdev,
    min(s.score) as min, max(s.score) as max, count(*) filter (where s.error) as errors,
    coalesce((select n.counts from named n where n.owner = s.owner and n.key = s.key), '{}') as values,
    coalesce((array_agg(s.comment order by s.created_at desc) filter (where s.comment is not null))[1:${MAX_COMMENTS}], '{}') as comments,
    array_agg(distinct s.source_type) as sources
  from given s group by s.owner, s.key order by s.key`;

const ofTenant = (owner: 'run_id' | 'project_id', condition: string) =>
  feedbackStatsSql(`f.${owner}`, `tracing.feedback f where f.tenant_id = $1 and ${condition}`);
const OF_RUNS = ofTenant('run_id', 'f.run_id = any($2)');
const OF_PROJECTS = ofTenant('project_id', 'f.project_id = any($2) and f.run_id is not null');
const OF_PROJECTS_THEMSELVES = ofTenant('project_id', 'f.project_id = any($2) and f.run_id is null');

/** `feedback_stats` by run. Runs without feedback are missing. */
export const feedbackStatsOf = (db: Queryable, tenantId: string, runIds: string[]) =>
  readStats(db, OF_RUNS, tenantId, runIds);

/** `feedback_stats` by project, over feedback on its runs. */
export async function projectFeedbackStatsOf(db: Queryable, tenantId: string, projectIds: string[]) {
  await attachFeedback(db, tenantId);
  return readStats(db, OF_PROJECTS, tenantId, projectIds);
}

/** `session_feedback_stats` by project, over feedback on the project itself. */
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
  for (const { owner, key, ...keyStats } of rows) {
    const of = stats.get(owner) ?? {};
    stats.set(owner, of);
    of[key] = { ...keyStats, show_feedback_arrow: false };
  }
  return stats;
}

/** Assigns the run's project to feedback that arrived before its run without naming a project. */
export async function attachFeedback(db: Queryable, tenantId: string): Promise<void> {
  await db.query(
    `update tracing.feedback f set project_id = r.project_id, trace_id = coalesce(f.trace_id, r.trace_id)
     from tracing.run r
     where f.tenant_id = $1 and f.project_id is null and f.created_at > clock_timestamp() - interval '1 day'
       and r.tenant_id = $1 and r.id = f.run_id`,
    [tenantId],
  );
}
