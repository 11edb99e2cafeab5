import { type Database, inTransaction } from '../../platform/db/database.ts';
import { keepLatestCheckpoints } from '../checkpoints/checkpoint-maintenance.ts';
import type { TtlRequest } from '../records/thread.ts';
import { claimExpired, renewExpiry } from './expired-threads.ts';
import type { Ttl } from '../records/thread-repository.ts';
import { eraseThreads } from './thread-removal.ts';

/** Parses a client's ttl in either form. */
export function readTtl(request: TtlRequest | undefined): Ttl | undefined {
  if (request === undefined) return undefined;
  if (typeof request === 'number') return { strategy: 'delete', minutes: request };
  return { strategy: request.strategy ?? 'delete', minutes: request.ttl };
}

/**
 * Handles at most `limit` expired threads, except busy ones: deletes them, or prunes them to their latest state and
 * restarts their ttl. `hidden` selects the hidden threads of threadless runs instead. Safe to run in several
 * processes at once.
 */
export async function expireThreads(
  db: Database,
  limit: number,
  { hidden = false } = {},
): Promise<{ deleted: number; pruned: number }> {
  return inTransaction(db, async (tx) => {
    const expired = await claimExpired(tx, limit, hidden);
    const idsOf = (wanted: string) =>
      expired.filter(({ strategy }) => strategy === wanted).map(({ thread_id }) => thread_id);
    const pruned = idsOf('keep_latest');
    const deleted = await eraseThreads(tx, idsOf('delete'));
    if (pruned.length > 0) {
      await keepLatestCheckpoints(tx, pruned);
      await renewExpiry(tx, pruned);
    }
    return { deleted, pruned: pruned.length };
  });
}
