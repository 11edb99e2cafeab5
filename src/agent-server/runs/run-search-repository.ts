import type { Queryable } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { isUuid, systemAssistantId } from '../../platform/ids.ts';
import type { Run } from '../records/run.ts';
import { runColumns } from '../records/run-repository.ts';
import type { RunFilter, RunSearch, RunStats } from './run-search.ts';

/** The threads whose runs a caller may see. */
export interface ThreadReach {
  filter: RowFilter | undefined;
  /** Filter that the project's handler added to a thread search. */
  metadata: JsonObject;
}

/** Condition for the matching runs whose thread the caller may see. */
function listed(filter: RunFilter & { ids?: string[] }, reach: ThreadReach): Where {
  const { thread_id, assistant_id: ref, status, metadata, ids } = filter;
  return new Where().and`not (thread.hidden and thread.expires_at is not null)`
    .andPasses('thread.metadata', reach.filter)
    .andContains('thread.metadata', reach.metadata)
    .andAny('run.run_id', ids)
    .andEquals('run.thread_id', thread_id)
    .andEquals('run.assistant_id', ref === undefined || isUuid(ref) ? ref : systemAssistantId(ref))
    .andEquals('run.status', status)
    .andContains('run.metadata', metadata);
}

/** Returns up to `limit` + 1 runs, so that the caller can tell whether another page exists. */
export async function searchRuns(
  db: Queryable,
  search: RunSearch,
  reach: ThreadReach,
): Promise<Partial<Run>[]> {
  const where = listed(search, reach);
  const { sort_by, sort_order, select, limit, offset } = search;
  const sorted = sort_by === 'created_at' ? 'due_at' : sort_by;
  const order = sort_by === 'run_id' ? '' : `run.${sorted} ${sort_order}, `;
  const { rows } = await db.query<Partial<Run>>(
    `select ${runColumns(select)} from run join thread using (thread_id) ${where.text}
     order by ${order}run.run_id ${sort_order} limit ${where.bind(limit + 1)} offset ${where.bind(offset)}`,
    where.values,
  );
  return rows;
}

export async function runStats(db: Queryable, filter: RunFilter, reach: ThreadReach): Promise<RunStats> {
  const where = listed(filter, reach);
  const waiting = `status = 'pending' and due_at <= now()`;
  const { rows } = await db.query<RunStats>(
    `select count(*) as n_runs, ${['pending', 'running', 'success', 'error', 'timeout', 'interrupted']
      .map((status) => `count(*) filter (where status = '${status}') as n_${status}`)
      .join(', ')},
       extract(epoch from max(now() - due_at) filter (where ${waiting}))::float8 as pending_runs_wait_time_max_secs,
       extract(epoch from percentile_cont(0.5) within group (order by now() - due_at)
         filter (where ${waiting}))::float8 as pending_runs_wait_time_med_secs
     from (select run.status, run.due_at from run join thread using (thread_id) ${where.text}) found`,
    where.values,
  );
  return rows[0]!;
}
