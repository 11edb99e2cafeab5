import { isUuid } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Assistant } from '../records/assistant.ts';
import type { AuthActions } from '../auth/access.ts';
import type { Caller } from '../caller.ts';
import { findTask, type TaskRow } from '../runs/task-repository.ts';
import { taskNotFound } from './a2a-errors.ts';

type Action = AuthActions['threads'];

/** Finds a task by id, if the caller can access its thread. Throws JsonRpcError. */
export async function requireTask(
  deps: AgentDeps,
  assistant: Assistant,
  id: string,
  caller: Caller,
  action: Action = 'read',
): Promise<TaskRow> {
  const [threadId = '', runId = '', ...rest] = id.toLowerCase().split(':');
  if (!isUuid(threadId) || !isUuid(runId) || rest.length > 0) throw taskNotFound(id);
  const task = await reach(deps, assistant, threadId, runId, caller, action);
  if (!task) throw taskNotFound(id);
  return task;
}

/** The latest task of a context; undefined if the caller can access none. */
export const taskOfContext = (
  deps: AgentDeps,
  assistant: Assistant,
  threadId: string,
  caller: Caller,
): Promise<TaskRow | undefined> => reach(deps, assistant, threadId, undefined, caller, 'read');

async function reach(
  { db, access }: AgentDeps,
  { assistant_id }: Assistant,
  thread_id: string,
  runId: string | undefined,
  caller: Caller,
  action: Action,
): Promise<TaskRow | undefined> {
  const filter = await access.authorize(caller, 'threads', action, { thread_id });
  return findTask(db, { assistant_id, filter }, thread_id, runId);
}
