import type { PruneThreadsInput } from '../../../workflows/runs/contracts.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** Records the request to prune these threads. */
export async function requestPrune(
  db: Queryable,
  { thread_ids, strategy }: PruneThreadsInput,
): Promise<void> {
  await db.query(
    `insert into thread_prune (thread_id, strategy) select unnest($1::uuid[]), $2 on conflict do nothing`,
    [thread_ids, strategy],
  );
}

/** The threads for which this prune was requested. */
export async function listRequestedPrunes(
  db: Queryable,
  { thread_ids, strategy }: PruneThreadsInput,
): Promise<string[]> {
  const { rows } = await db.query<{ thread_id: string }>(
    'select thread_id from thread_prune where thread_id = any($1) and strategy = $2',
    [thread_ids, strategy],
  );
  return rows.map(({ thread_id }) => thread_id);
}

/** Removes the requests once they are carried out. */
export async function endPrune(db: Queryable, { thread_ids, strategy }: PruneThreadsInput): Promise<void> {
  await db.query('delete from thread_prune where thread_id = any($1) and strategy = $2', [
    thread_ids,
    strategy,
  ]);
}
