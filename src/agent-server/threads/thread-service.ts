import { inTransaction } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Caller } from '../caller.ts';
import { ThreadExists } from '../errors.ts';
import { clientMetadata } from '../reserved-keys.ts';
import { writeState } from './state-service.ts';
import type { Thread, ThreadCreate } from '../records/thread.ts';
import { eraseThreads } from './thread-removal.ts';
import { findThread, insertThread } from '../records/thread-repository.ts';
import { defaultTtl } from '../records/default-ttl.ts';
import { readTtl } from './thread-ttl.ts';

/**
 * Creates a thread, or returns the existing one with its id if the caller allows it. If the initial state updates
 * fail, the thread is removed. Throws ThreadExists, and BadRequest if the graph rejects an update.
 */
export async function createThread(deps: AgentDeps, caller: Caller, asked: ThreadCreate): Promise<Thread> {
  const { db, project, access } = deps;
  const create = { ...asked, thread_id: asked.thread_id ?? uuid7(), metadata: asked.metadata ?? {} };
  const reach = await access.authorize(caller, 'threads', 'create', create);
  const { thread_id, supersteps = [] } = create;
  const created = await insertThread(db, {
    thread_id,
    metadata: clientMetadata(create.metadata),
    ttl: readTtl(create.ttl) ?? defaultTtl(project.config),
  });
  if (!created) {
    const existing =
      create.if_exists === 'do_nothing' ? await findThread(db, thread_id, { reach }) : undefined;
    if (!existing) throw new ThreadExists(thread_id);
    return existing;
  }
  if (supersteps.length === 0) return created;
  try {
    const writes = supersteps.map(({ updates }) => updates);
    await writeState(deps, thread_id, writes);
  } catch (error) {
    await inTransaction(db, (tx) => eraseThreads(tx, [thread_id]));
    throw error;
  }
  return (await findThread(db, thread_id)) ?? created;
}
