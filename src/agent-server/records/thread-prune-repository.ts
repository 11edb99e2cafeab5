import type { PruneThreadsInput } from '../../../workflows/runs/contracts.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** Notes that these threads are to be pruned. */
export async function askPrune(db: Queryable, { thread_ids, strategy }: PruneThreadsInput): Promise<void> {
  await db.query(
    `insert into thread_prune (thread_id, strategy) select unnest($1::uuid[]), $2 on conflict do nothing`,
    [thread_ids, strategy],
  );
}

/** Those of the threads that somebody asked to prune like this. */
export async function listAskedPrunes(
  db: Queryable,
  { thread_ids, strategy }: PruneThreadsInput,
): Promise<string[]> {
  const { rows } = await db.query<{ thread_id: string }>(
    'select thread_id from thread_prune where thread_id = any($1) and strategy = $2',
    [thread_ids, strategy],
  );
  return rows.map(({ thread_id }) => thread_id);
}

/** Once they are pruned. */
export async function endPrune(db: Queryable, { thread_ids, strategy }: PruneThreadsInput): Promise<void> {
  await db.query('delete from thread_prune where thread_id = any($1) and strategy = $2', [
    thread_ids,
    strategy,
  ]);
}
