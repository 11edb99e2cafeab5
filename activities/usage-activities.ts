import { Context } from '@temporalio/activity';
import type { Database } from '../src/platform/db/database.ts';
import { Prices } from '../src/tracing/usage/prices.ts';
import { recomputeCosts, type RecomputeProgress } from '../src/tracing/usage/recompute-costs.ts';
import { type SweptUsage, sweepUsage } from '../src/tracing/usage/sweep-usage.ts';
import type { Recomputed, RecomputeInput } from '../workflows/usage-contracts.ts';
import { beating } from './beating.ts';

export type UsageActivities = ReturnType<typeof createUsageActivities>;

export function createUsageActivities({ db }: { db: Database }) {
  const prices = new Prices(db);
  return {
    /** Harmless when it is repeated. */
    sweepUsage: (): Promise<SweptUsage> => beating(() => sweepUsage({ db, prices })),
    /** Goes on from where another attempt was cut short. */
    recomputeCosts: async (input: RecomputeInput): Promise<Recomputed> => {
      const context = Context.current();
      const from = (context.info.heartbeatDetails ?? { runs: 0, changed: 0 }) as RecomputeProgress;
      return recomputeCosts({ db, prices }, input, from, (progress) => context.heartbeat(progress));
    },
  };
}
