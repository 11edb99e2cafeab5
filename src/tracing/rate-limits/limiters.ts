import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Database } from '../../platform/db/database.ts';
import type { Limit } from './limits.ts';

/** Result of counting a request. */
export interface Verdict {
  isAllowed: boolean;
  limit: Limit;
  remaining: number;
  /** Seconds until the window resets. */
  reset: number;
}

// Limits up to this rate are counted in the database for all processes; each process counts its share of faster ones.
const SHARED_PER_SECOND = 50;
const MAX_BUCKETS = 100_000;

interface Counted {
  limiter: RateLimiterAbstract;
  limit: Limit;
  buckets: LRUCache<string, true> | undefined;
}

/** Counts requests by row and identity, in windows that start with the first request. */
export class Limiters {
  readonly #rows: Map<string, Counted>;

  constructor(limits: Map<string, Limit>, db: Database, processes: number) {
    let isFirst = true;
    this.#rows = new Map(
      [...limits].map(([id, limit]): [string, Counted] => {
        const share = Math.ceil(limit.count / processes);
        const memory = new RateLimiterMemory({
          keyPrefix: id,
          points: share,
          duration: limit.interval,
        });
        if (limit.count / limit.interval > SHARED_PER_SECOND)
          return [id, { limiter: memory, limit, buckets: bounded(memory) }];
        const limiter = new RateLimiterPostgres({
          storeClient: db,
          schemaName: 'tracing',
          tableName: 'rate_limit',
          tableCreated: true,
          keyPrefix: id,
          points: limit.count,
          duration: limit.interval,
          // Blocks in memory, so that requests over the limit cost no database access.
          inMemoryBlockOnConsumed: limit.count + 1,
          insuranceLimiter: memory,
          clearExpiredByTimeout: isFirst,
        });
        isFirst = false;
        return [id, { limiter, limit, buckets: undefined }];
      }),
    );
  }

  /** Counts a request. Undefined if the row has no limit. */
  async count(row: string, identity: string): Promise<Verdict | undefined> {
    const counted = this.#rows.get(row);
    if (!counted) return undefined;
    counted.buckets?.set(identity, true);
    try {
      return verdict(counted, await counted.limiter.consume(identity), true);
    } catch (error) {
      if (error instanceof RateLimiterRes) return verdict(counted, error, false);
      throw error;
    }
  }

  /** Reads the remaining limit without counting. Undefined before the first request. */
  async look(row: string, identity: string): Promise<Verdict | undefined> {
    const counted = this.#rows.get(row);
    const found = await counted?.limiter.get(identity);
    return counted && found ? verdict(counted, found, found.remainingPoints > 0) : undefined;
  }
}

const verdict = (
  { limit }: Counted,
  { remainingPoints, msBeforeNext }: RateLimiterRes,
  isAllowed: boolean,
): Verdict => ({
  isAllowed,
  limit,
  remaining: isAllowed ? remainingPoints : 0,
  reset: Math.max(1, Math.ceil(msBeforeNext / 1000)),
});

/** Bounds memory against clients that use ever new identities, by evicting the oldest. */
const bounded = (limiter: RateLimiterMemory): LRUCache<string, true> =>
  new LRUCache({
    // `max` would preallocate 3 MB per row.
    maxSize: MAX_BUCKETS,
    sizeCalculation: () => 1,
    dispose: (_, identity, reason) => {
      if (reason === 'evict') void limiter.delete(identity);
    },
  });
