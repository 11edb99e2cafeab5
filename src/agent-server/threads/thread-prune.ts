import type { AgentDeps } from '../agent-deps.ts';
import { keepLatestCheckpoints } from '../graphs/checkpoints/checkpoint-maintenance.ts';
import { removeThreads } from './thread-removal.ts';

/** Deletes the threads, or all but their latest checkpoints; ids without a thread are skipped. Returns how many. */
export async function pruneThreads(
  deps: AgentDeps,
  threadIds: string[],
  strategy: 'delete' | 'keep_latest',
): Promise<number> {
  if (threadIds.length === 0) return 0;
  if (strategy === 'delete') return removeThreads(deps, threadIds);
  const { rows } = await deps.db.query<{ thread_id: string }>(
    'select thread_id from thread where thread_id = any($1)',
    [threadIds],
  );
  const known = rows.map(({ thread_id }) => thread_id);
  await keepLatestCheckpoints(deps.db, known);
  return known.length;
}
