import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { deleteExpiredEvents } from '../../src/agent-server/events/event-repository.ts';
import { recoverRuns } from '../../src/agent-server/runs/run-recovery.ts';
import { sweepExpiredItems } from '../../src/agent-server/store/store-repository.ts';
import { pruneRequested } from '../../src/agent-server/threads/thread-prune.ts';
import { expireThreads } from '../../src/agent-server/threads/thread-ttl.ts';
import { adoptDeliveries } from '../../src/agent-server/webhooks/webhook-adoption.ts';
import { deleteGivenUp } from '../../src/agent-server/records/webhook-delivery-repository.ts';
import type { MaintenanceActivities } from '../../workflows/runs/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';

const ITEMS = 500;
// A batch is one transaction, and a thread may have thousands of checkpoints.
const THREADS = 50;

export const createMaintenanceActivities = (deps: AgentDeps): MaintenanceActivities => ({
  adoptOrphans: () =>
    withHeartbeat(async () => {
      const runs = await recoverRuns(deps);
      return { ...runs, webhooks: await adoptDeliveries(deps) };
    }),

  expireRows: () =>
    withHeartbeat(async () => {
      const events = await deleteExpiredEvents(deps.db, deps.config.SLIPWAY_EVENT_RETENTION_SECONDS);
      const threads = await inBatches(THREADS, Infinity, async (most) => {
        const { deleted } = await expireThreads(deps.db, most, { hidden: true });
        return deleted;
      });
      await inBatches(ITEMS, Infinity, (most) => deleteGivenUp(deps.db, most));
      return { events, threads };
    }),

  expireThreads: ({ limit }) =>
    withHeartbeat(async () => {
      const total = { deleted: 0, pruned: 0 };
      await inBatches(THREADS, limit, async (most) => {
        const { deleted, pruned } = await expireThreads(deps.db, most);
        total.deleted += deleted;
        total.pruned += pruned;
        return deleted + pruned;
      });
      return total;
    }),

  expireItems: () =>
    withHeartbeat(async () => ({
      items: await inBatches(ITEMS, Infinity, (most) => sweepExpiredItems(deps.db, most)),
    })),

  pruneBatch: (input) => withHeartbeat(() => pruneRequested(deps, input)),
});

/** Repeats `work` until a batch isn't full or `limit` is reached; returns the total. */
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
