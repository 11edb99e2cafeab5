import { type Database, inTransaction } from '../../platform/db/database.ts';
import { keepLatestCheckpoints } from '../checkpoints/checkpoint-maintenance.ts';
import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';
import type { TtlRequest } from './thread.ts';
import { claimExpired, renewExpiry, type Ttl } from './thread-repository.ts';
import { eraseThreads } from './thread-removal.ts';

/** A client's ttl in either of its forms. */
export function readTtl(request: TtlRequest | undefined): Ttl | undefined {
  if (request === undefined) return undefined;
  if (typeof request === 'number') return { strategy: 'delete', minutes: request };
  return { strategy: request.strategy ?? 'delete', minutes: request.ttl };
}

/** The ttl of threads created without one, where the project sets it. */
export function defaultTtl({ checkpointer }: ProjectConfig): Ttl | undefined {
  const { strategy = 'delete', default_ttl } = checkpointer?.ttl ?? {};
  return default_ttl === undefined ? undefined : { strategy, minutes: default_ttl };
}

/**
 * Acts on at most `limit` threads whose ttl is over, busy ones excepted: removes them, or prunes them to their
 * latest state and starts their time anew. The hidden threads of threadless runs are a matter of their own. Safe in
 * several processes at once.
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
