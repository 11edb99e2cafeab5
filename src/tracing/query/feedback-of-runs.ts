import { Where } from '../../platform/db/where.ts';
import {
  byOwner,
  type FeedbackStats,
  feedbackStatsSql,
  ownFeedbackStatsOf,
  type StatsRow,
} from '../feedback/feedback-stats.ts';
import { type QueryDeps, withoutBodies } from './find-runs.ts';
import { readBounded } from './read-bounded.ts';
import type { RunQuery } from './run-query.ts';
import { conditionsOf } from './run-query-sql.ts';
import { type GroupBy, groupSql } from './run-stats.ts';

/** Feedback statistics of all runs of a query, by group; '' if ungrouped (contract §1.11). Throws InvalidRequest. */
export async function feedbackOfRuns(
  deps: QueryDeps,
  unresolved: RunQuery,
  by?: GroupBy,
): Promise<Map<string, FeedbackStats>> {
  const query = await withoutBodies(deps, unresolved);
  const where = new Where();
  const conditions = conditionsOf(query, where);
  const { group, from } = groupSql(by, where);
  // Narrows by feedback, which is rare, rather than by runs. Feedback that arrived before its run has no
  // project yet.
  if (query.projects)
    conditions.push(`(f.project_id is null or f.project_id = any(${where.bind(query.projects)}::uuid[]))`);
  const rows = await readBounded<StatsRow>(deps.db, deps.config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text: feedbackStatsSql(
      `coalesce(${group}, '')`,
      `tracing.feedback f join tracing.run r on r.tenant_id = f.tenant_id and r.id = f.run_id ${from}
       where f.tenant_id = ${where.bind(query.tenant_id)}::uuid and ${conditions.join(' and ')}`,
    ),
    values: where.values,
  });
  return byOwner(rows);
}

/** Feedback statistics of all runs of these threads, by thread. */
export async function feedbackOfThreads(
  { db, config }: QueryDeps,
  tenantId: string,
  projects: string[],
  threads: string[],
): Promise<Map<string, FeedbackStats>> {
  if (threads.length === 0) return new Map();
  const rows = await readBounded<StatsRow>(db, config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text: feedbackStatsSql(
      'r.thread_id',
      `tracing.run r join tracing.feedback f on f.tenant_id = r.tenant_id and f.run_id = r.id
       where r.tenant_id = $1 and r.thread_id = any($3::text[]) and r.project_id = any($2::uuid[])`,
    ),
    values: [tenantId, projects, threads],
  });
  return byOwner(rows);
}

/** Feedback statistics of the projects themselves. If several have a key, the first one's are used. */
export async function feedbackOfProjects(
  { db }: QueryDeps,
  { tenant_id, projects = [] }: RunQuery,
): Promise<FeedbackStats> {
  const stats = await ownFeedbackStatsOf(db, tenant_id, projects);
  return Object.assign({}, ...[...stats.values()].toReversed()) as FeedbackStats;
}
