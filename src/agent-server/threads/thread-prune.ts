import { inTransaction } from '../../platform/db/database.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { keepLatestCheckpoints } from '../graphs/checkpoints/checkpoint-maintenance.ts';
import { lockResting } from './thread-repository.ts';
import { removeThreads } from './thread-removal.ts';

/**
 * Deletes the threads, or all but their latest checkpoints. Skips ids without a thread, and does not prune under a
 * run. Returns how many.
 */
export async function pruneThreads(
  deps: AgentDeps,
  threadIds: string[],
  strategy: 'delete' | 'keep_latest',
): Promise<number> {
  if (threadIds.length === 0) return 0;
  if (strategy === 'delete') return removeThreads(deps, threadIds);
  return inTransaction(deps.db, async (tx) => {
    const resting = await lockResting(tx, threadIds);
    await keepLatestCheckpoints(tx, resting);
    return resting.length;
  });
}
