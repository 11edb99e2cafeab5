import { systemAssistantId } from '../../platform/ids.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Assistant } from '../records/assistant.ts';
import { findAssistantByRef } from '../records/assistant-reference.ts';
import { readAssistant } from '../auth/assistant-access.ts';
import type { Caller } from '../caller.ts';
import { reachThread } from '../auth/thread-access.ts';
import { ThreadNotFound } from '../errors.ts';
import { threadExists } from '../records/thread-repository.ts';
import type { CronCount } from '../records/cron.ts';
import type { CronAccess } from '../records/cron-repository.ts';

/** The assistant a caller wants to schedule. Throws AssistantNotFound, InvalidRequest, and the project's errors. */
export async function requireReadableAssistant(
  deps: AgentDeps,
  caller: Caller,
  ref: string,
): Promise<Assistant> {
  const assistant = await findAssistantByRef(deps.db, ref);
  const { assistant_id, graph_id } = assistant;
  // Everyone may use the assistants of the project's graphs.
  return assistant_id === systemAssistantId(graph_id) ? assistant : readAssistant(deps, caller, assistant_id);
}

/** Throws ThreadNotFound if the thread is missing or the caller may not read it, and the project's errors. */
export async function requireReadableThread(
  deps: AgentDeps,
  caller: Caller,
  thread_id: string,
): Promise<void> {
  await reachThread(deps, caller, 'read', thread_id);
  if (!(await threadExists(deps.db, thread_id))) throw new ThreadNotFound(thread_id);
}

/**
 * The crons a caller may find, except those on threads it may not read (contract §13.2). They must also match what
 * the project's handlers write into the metadata.
 */
export async function findable(
  deps: AgentDeps,
  caller: Caller,
  search: CronCount & { limit?: number; offset?: number },
): Promise<CronAccess> {
  const { assistant_id, thread_id, limit, offset } = search;
  const asked = { assistant_id, thread_id, metadata: { ...search.metadata }, limit, offset };
  const crons = await deps.access.authorize(caller, 'crons', 'search', asked);
  const askedThreads = { metadata: {} as JsonObject, limit, offset };
  const threads = await deps.access.authorize(caller, 'threads', 'search', askedThreads);
  const stamps = Object.entries(askedThreads.metadata).map(([key, equals]) => ({ key, equals }));
  return { crons, metadata: asked.metadata, threads: { all: [...(threads?.all ?? []), ...stamps] } };
}
