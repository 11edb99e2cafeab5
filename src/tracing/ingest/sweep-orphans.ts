import type { Database } from '../../platform/db/database.ts';
import { demoteOuterCallsLater } from './demote-outer-calls.ts';
import { ADOPT_LATER } from './adopt-runs.ts';

export interface SweptOrphans {
  adopted: number;
  orphans: number;
}

const MAX_AT_ONCE = 5_000;

/**
 * Links children to parents that were written concurrently, and turns runs whose parent is missing for `seconds` into
 * roots (contract §1.9). Such roots record their parent and move below it if it still arrives.
 */
export async function sweepOrphans(db: Database, seconds: number): Promise<SweptOrphans> {
  const { rows: adopted } = await db.query<{ tenant_id: string; trace_id: string }>(ADOPT_LATER, [
    MAX_AT_ONCE,
  ]);
  await demoteOuterCallsLater(db, adopted);
  const { rowCount: orphans } = await db.query(
    `update tracing.run t set parent_run_id = null, orphan_of = r.parent_run_id, updated_at = clock_timestamp()
     from (select tenant_id, id, start_time, parent_run_id from tracing.run
       where length(dotted_order) = 58 and parent_run_id is not null
         and inserted_at < clock_timestamp() - $1 * interval '1 second'
       order by inserted_at limit $2 for update skip locked) r
     where t.tenant_id = r.tenant_id and t.id = r.id and t.start_time = r.start_time`,
    [seconds, MAX_AT_ONCE],
  );
  return { adopted: adopted.length, orphans: orphans ?? 0 };
}
