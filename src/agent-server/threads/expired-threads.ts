import type { Queryable } from '../../platform/db/database.ts';
import type { TtlStrategy } from '../records/thread.ts';

/** Locks expired threads that no run uses until the transaction ends; skips those another process has locked. */
export async function claimExpired(
  tx: Queryable,
  limit: number,
  hidden: boolean,
): Promise<{ thread_id: string; strategy: TtlStrategy }[]> {
  const { rows } = await tx.query<{ thread_id: string; strategy: TtlStrategy }>(
    `select thread_id, case when hidden then 'delete' else coalesce(ttl_strategy, 'delete') end as strategy from thread
     where expires_at <= now() and status <> 'busy' and hidden = $2 order by expires_at limit $1
     for update skip locked`,
    [limit, hidden],
  );
  return rows;
}

export async function renewExpiry(tx: Queryable, ids: string[]): Promise<void> {
  await tx.query(
    `update thread set expires_at = clock_timestamp() + ttl_minutes * interval '1 minute'
     where thread_id = any($1::uuid[])`,
    [ids],
  );
}
