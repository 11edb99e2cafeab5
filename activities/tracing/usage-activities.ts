import { Context } from '@temporalio/activity';
import type { Database } from '../../src/platform/db/database.ts';
import { Prices } from '../../src/tracing/usage/prices.ts';
import { recomputeCosts, type RecomputeProgress } from '../../src/tracing/usage/recompute-costs.ts';
import { sweepUsage } from '../../src/tracing/usage/sweep-usage.ts';
import type { UsageActivities } from '../../workflows/tracing/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';

export function createUsageActivities({ db }: { db: Database }): UsageActivities {
  const prices = new Prices(db);
  return {
    sweepUsage: () => withHeartbeat(() => sweepUsage({ db, prices })),
    recomputeCosts(input) {
      const context = Context.current();
      const from = (context.info.heartbeatDetails ?? { runs: 0, changed: 0 }) as RecomputeProgress;
      return recomputeCosts({ db, prices }, input, from, (progress) => context.heartbeat(progress));
    },
  };
}
