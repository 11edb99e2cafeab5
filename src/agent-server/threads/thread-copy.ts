import { type Database, inTransaction } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import { copyCheckpoints } from '../graphs/checkpoints/checkpoint-maintenance.ts';
import { copyThreadRow, findThread } from './thread-repository.ts';
import type { Thread } from './thread.ts';

/** A new idle thread with the metadata, values and whole history of another; undefined when that is missing. */
export async function copyThread(db: Database, sourceId: string): Promise<Thread | undefined> {
  const copyId = uuid7();
  return inTransaction(db, async (tx) => {
    if (!(await copyThreadRow(tx, sourceId, copyId))) return undefined;
    await copyCheckpoints(tx, sourceId, copyId);
    return findThread(tx, copyId);
  });
}
