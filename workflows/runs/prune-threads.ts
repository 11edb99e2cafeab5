import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { MaintenanceActivities, PruneThreadsInput } from './contracts.ts';

const { pruneBatch } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
});

/** Threads per activity, each in its own transaction. */
const BATCH = 100;

/** Deletes or prunes threads in batches. Returns how many. */
export async function pruneThreads({ thread_ids, strategy }: PruneThreadsInput): Promise<number> {
  let pruned = 0;
  for (let start = 0; start < thread_ids.length; start += BATCH) {
    pruned += await pruneBatch({ thread_ids: thread_ids.slice(start, start + BATCH), strategy });
    setCurrentDetails(
      `${Math.min(start + BATCH, thread_ids.length)} of ${thread_ids.length} threads (${strategy})`,
    );
  }
  return pruned;
}
