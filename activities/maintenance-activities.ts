import { heartbeat } from '@temporalio/activity';
import type { AgentDeps } from '../src/agent-server/agent-deps.ts';
import { deleteExpiredEvents } from '../src/agent-server/events/event-repository.ts';
import { recoverRuns } from '../src/agent-server/runs/run-recovery.ts';
import { sweepExpiredItems } from '../src/agent-server/store/store-repository.ts';
import { expireThreads } from '../src/agent-server/threads/thread-ttl.ts';

const BATCH = 500;

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;

export const createMaintenanceActivities = (deps: AgentDeps) => ({
  /** Queues again what lost its queue, and ends what an operator terminated. */
  adoptOrphans: (): Promise<{ adopted: number; settled: number }> => recoverRuns(deps),

  /** Removes events, threads and store items whose time is over; returns how many of each. */
  async expireRows(): Promise<{ events: number; threads: number; items: number }> {
    const events = await deleteExpiredEvents(deps.db, deps.config.SLIPWAY_EVENT_RETENTION_SECONDS);
    const threads = await inBatches(async () => {
      const { deleted, pruned } = await expireThreads(deps.db, BATCH);
      return deleted + pruned;
    });
    const items = await inBatches(() => sweepExpiredItems(deps.db, BATCH));
    return { events, threads, items };
  },
});

async function inBatches(work: () => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const done = await work();
    heartbeat(total);
    total += done;
    if (done < BATCH) return total;
  }
}
