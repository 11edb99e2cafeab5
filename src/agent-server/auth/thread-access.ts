import type { AgentDeps } from '../agent-deps.ts';
import { ThreadNotFound } from '../errors.ts';
import { threadExists } from '../threads/thread-repository.ts';
import type { Caller } from './caller.ts';

/**
 * Asks for the right to something under a thread: its state, its runs, its streams. Throws ThreadNotFound when the
 * caller cannot reach the thread, Forbidden when it may not ask.
 */
export async function reachThread(
  { access, db }: Pick<AgentDeps, 'access' | 'db'>,
  caller: Caller,
  action: 'read' | 'update' | 'delete',
  thread_id: string,
  asked: object = {},
): Promise<void> {
  const reach = await access.authorize(caller, 'threads', action, { ...asked, thread_id });
  if (reach && !(await threadExists(db, thread_id, reach))) throw new ThreadNotFound(thread_id);
}

/** The right to follow a run; to stop it by leaving takes the right to stop it. Throws what `reachThread` throws. */
export async function reachAsReader(
  deps: Pick<AgentDeps, 'access' | 'db'>,
  caller: Caller,
  thread_id: string,
  { cancel_on_disconnect = false }: { cancel_on_disconnect?: boolean },
): Promise<void> {
  await reachThread(deps, caller, 'read', thread_id);
  if (cancel_on_disconnect) await reachThread(deps, caller, 'update', thread_id, { action: 'interrupt' });
}
