import type { AgentDeps } from '../agent-deps.ts';
import { ThreadNotFound } from '../errors.ts';
import { threadExists } from '../records/thread-repository.ts';
import type { Caller } from '../caller.ts';

/**
 * Authorizes an action under a thread: on its state, runs or streams. Throws ThreadNotFound if the caller can't
 * access the thread, Forbidden if it may not perform the action.
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

/**
 * Authorizes following a run; canceling on disconnect also requires permission to stop it. Throws the errors of
 * `reachThread`.
 */
export async function reachAsReader(
  deps: Pick<AgentDeps, 'access' | 'db'>,
  caller: Caller,
  thread_id: string,
  { cancel_on_disconnect = false }: { cancel_on_disconnect?: boolean },
): Promise<void> {
  await reachThread(deps, caller, 'read', thread_id);
  if (cancel_on_disconnect) await reachThread(deps, caller, 'update', thread_id, { action: 'interrupt' });
}
