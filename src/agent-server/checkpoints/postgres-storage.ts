import type { CheckpointStorage } from '../../graph-protocol/checkpoint-storage.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Fence } from '../events/event-repository.ts';
import { insertCheckpoints } from './checkpoint-insert.ts';
import { deleteThreadCheckpoints } from './checkpoint-maintenance.ts';
import { findCheckpoint, findSends, listCheckpoints } from './checkpoint-repository.ts';
import { findChannelHistories } from './delta-history.ts';

/** Checkpoints in Postgres. With a fence, writes throw RunFenced once the run is claimed again or has ended. */
export const postgresStorage = (db: Queryable, fence?: Fence): CheckpointStorage => ({
  find: (place, id) => findCheckpoint(db, place, id),
  list: (filter, limit) => listCheckpoints(db, filter, limit),
  sends: (place, id) => findSends(db, place, id),
  histories: (place, id, channels) => findChannelHistories(db, place, id, channels),
  write: (units) => insertCheckpoints(db, units, fence),
  async deleteThread(threadId) {
    await deleteThreadCheckpoints(db, [threadId], fence);
  },
});
