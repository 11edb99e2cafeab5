import type { AgentDeps } from '../src/agent-server/agent-deps.ts';
import { deleteExpiredEvents } from '../src/agent-server/events/event-repository.ts';
import { recoverRuns } from '../src/agent-server/runs/run-recovery.ts';
import { sweepExpiredItems } from '../src/agent-server/store/store-repository.ts';
import { pruneNow } from '../src/agent-server/threads/thread-prune.ts';
import { expireThreads } from '../src/agent-server/threads/thread-ttl.ts';
import { adoptDeliveries } from '../src/agent-server/webhooks/webhook-adoption.ts';
import { deleteGivenUp } from '../src/agent-server/webhooks/webhook-delivery-repository.ts';
import type { PruneThreadsInput, SweepThreadsInput } from '../workflows/contracts.ts';
import { beating } from './beating.ts';

const ITEMS = 500;
// A thread may have thousands of checkpoints: a batch is one transaction.
const THREADS = 50;

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;

export const createMaintenanceActivities = (deps: AgentDeps) => ({
  /**
   * Queues again what lost its queue, ends what an operator terminated, finishes removals that were cut short, and
   * sends webhooks nobody sends.
   */
  adoptOrphans: (): Promise<{ adopted: number; settled: number; webhooks: number }> =>
    beating(async () => {
      const runs = await recoverRuns(deps);
      return { ...runs, webhooks: await adoptDeliveries(deps) };
    }),

  /** Removes what runs leave behind for a while: stored events, webhooks given up, and the threads of threadless runs. */
  expireRows: (): Promise<{ events: number; threads: number }> =>
    beating(async () => {
      const events = await deleteExpiredEvents(deps.db, deps.config.SLIPWAY_EVENT_RETENTION_SECONDS);
      const threads = await inBatches(THREADS, Infinity, async (most) => {
        const { deleted } = await expireThreads(deps.db, most, { hidden: true });
        return deleted;
      });
      await inBatches(ITEMS, Infinity, (most) => deleteGivenUp(deps.db, most));
      return { events, threads };
    }),

  /** Removes or prunes threads whose ttl is over. */
  expireThreads: ({ limit }: SweepThreadsInput): Promise<{ deleted: number; pruned: number }> =>
    beating(async () => {
      const total = { deleted: 0, pruned: 0 };
      await inBatches(THREADS, limit, async (most) => {
        const { deleted, pruned } = await expireThreads(deps.db, most);
        total.deleted += deleted;
        total.pruned += pruned;
        return deleted + pruned;
      });
      return total;
    }),

  /** Removes store items whose ttl is over. */
  expireItems: (): Promise<{ items: number }> =>
    beating(async () => ({
      items: await inBatches(ITEMS, Infinity, (most) => sweepExpiredItems(deps.db, most)),
    })),

  /** Removes or prunes the threads given; those that are gone already do not count. */
  pruneBatch: ({ thread_ids, strategy }: PruneThreadsInput): Promise<number> =>
    beating(() => pruneNow(deps, thread_ids, strategy)),
});

/** Works batch by batch, until one is not full or `limit` is reached; returns how many there were. */
async function inBatches(
  batch: number,
  limit: number,
  work: (most: number) => Promise<number>,
): Promise<number> {
  for (let total = 0; ;) {
    const most = Math.min(batch, limit - total);
    const done = most > 0 ? await work(most) : 0;
    total += done;
    if (done < most || most <= 0) return total;
  }
}
