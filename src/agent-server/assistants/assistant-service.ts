import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../platform/db/database.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { AssistantExists, AssistantNotFound } from '../errors.ts';
import { clientMetadata } from '../reserved-keys.ts';
import { stopRuns } from '../runs/run-cancellation.ts';
import { listInFlight } from '../runs/in-flight-repository.ts';
import { removeThreads } from '../threads/thread-removal.ts';
import { listThreadsOfAssistant } from '../threads/thread-repository.ts';
import type { Assistant, AssistantCreate, AssistantPatch } from './assistant.ts';
import { settle } from './assistant-config.ts';
import { requireAssistant } from './assistant-reference.ts';
import {
  deleteAssistant,
  findAssistant,
  insertAssistant,
  lockAssistant,
  updateAssistant,
} from './assistant-repository.ts';

/** Throws GraphNotFound, AssistantExists; BadRequest when configurable and context are both given. */
export async function createAssistant(
  { db, project }: AgentDeps,
  create: AssistantCreate,
): Promise<Assistant> {
  const { assistant_id = randomUUID(), graph_id, name, description = null, if_exists } = create;
  project.require(graph_id);
  const metadata = clientMetadata(create.metadata);
  const created = await insertAssistant(db, {
    assistant_id,
    graph_id,
    ...settle(create),
    metadata,
    name,
    description,
  });
  if (created) return created;
  const existing = if_exists === 'do_nothing' ? await findAssistant(db, assistant_id) : undefined;
  if (!existing) throw new AssistantExists(assistant_id);
  return existing;
}

/** Makes a new version, whatever the patch says. Throws AssistantNotFound, GraphNotFound, BadRequest. */
export async function patchAssistant(
  deps: AgentDeps,
  ref: string,
  patch: AssistantPatch,
): Promise<Assistant> {
  if (patch.graph_id !== undefined) deps.project.require(patch.graph_id);
  return inTransaction(deps.db, async (tx) => {
    const before = await lockAssistant(tx, ref);
    if (!before) throw new AssistantNotFound(ref);
    return updateAssistant(tx, {
      assistant_id: before.assistant_id,
      graph_id: patch.graph_id ?? before.graph_id,
      ...settle(patch, before),
      metadata: clientMetadata(patch.metadata),
      name: patch.name ?? before.name,
      description: patch.description ?? before.description,
    });
  });
}

/**
 * Removes the assistant with its versions, and on request the threads that last ran it; runs in flight are stopped
 * first. Throws AssistantNotFound, and Unavailable when a run cannot be stopped.
 */
export async function removeAssistant(deps: AgentDeps, ref: string, deleteThreads: boolean): Promise<void> {
  const { assistant_id } = await requireAssistant(deps.db, ref);
  await stopAll(deps, assistant_id);
  if (deleteThreads) await removeThreads(deps, await listThreadsOfAssistant(deps.db, assistant_id));
  if (!(await deleteAssistant(deps.db, assistant_id))) throw new AssistantNotFound(ref);
  // A run that came in between: none can follow it.
  await stopAll(deps, assistant_id);
}

async function stopAll(deps: AgentDeps, assistant_id: string): Promise<void> {
  await stopRuns(deps, await listInFlight(deps.db, { assistant_id }), 'interrupt');
}
