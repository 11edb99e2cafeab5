import { inTransaction } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Caller } from '../caller.ts';
import { reachThread } from '../auth/thread-access.ts';
import { copyCheckpoints } from '../checkpoints/checkpoint-maintenance.ts';
import { clientMetadata } from '../reserved-keys.ts';
import { copyThreadRow, findThread } from '../records/thread-repository.ts';
import type { Thread } from '../records/thread.ts';

/**
 * Creates an idle thread with the metadata, values and full history of another; undefined if that one is missing. The
 * caller needs permission to read the original and to create the copy.
 */
export async function copyThread(
  deps: Pick<AgentDeps, 'access' | 'db'>,
  caller: Caller,
  sourceId: string,
): Promise<Thread | undefined> {
  const { db, access } = deps;
  await reachThread(deps, caller, 'read', sourceId);
  const copy = { thread_id: uuid7(), metadata: {} };
  await access.authorize(caller, 'threads', 'create', copy);
  return inTransaction(db, async (tx) => {
    if (!(await copyThreadRow(tx, sourceId, { ...copy, metadata: clientMetadata(copy.metadata) })))
      return undefined;
    await copyCheckpoints(tx, sourceId, copy.thread_id);
    return findThread(tx, copy.thread_id);
  });
}
