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
