import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../platform/db/database.ts';
import { systemAssistantId } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Caller } from '../caller.ts';
import { listCronIds } from '../records/cron-repository.ts';
import { unschedule } from '../schedules/cron-scheduling.ts';
import { AssistantExists, AssistantNotFound, GraphFixed } from '../errors.ts';
import { clientMetadata } from '../reserved-keys.ts';
import { stopRuns } from '../runs/run-cancellation.ts';
import { listInFlight } from '../records/in-flight-repository.ts';
import { pruneThreads } from '../threads/thread-prune.ts';
import { listThreadsOfAssistant } from '../records/thread-repository.ts';
import type { Assistant, AssistantCreate, AssistantPatch } from '../records/assistant.ts';
import { settle } from './assistant-config.ts';
import { requireAssistant } from '../records/assistant-reference.ts';
import { syncSystemAssistants } from './system-assistants.ts';
import {
  deleteAssistant,
  findAssistant,
  insertAssistant,
  lockAssistant,
  updateAssistant,
} from '../records/assistant-repository.ts';

/** Throws GraphNotFound, AssistantExists; BadRequest if both configurable and context are given. */
export async function createAssistant(
  { db, project, access }: AgentDeps,
  caller: Caller,
  asked: AssistantCreate,
): Promise<Assistant> {
  const create = {
    ...asked,
    assistant_id: asked.assistant_id ?? randomUUID(),
    metadata: asked.metadata ?? {},
  };
  const reach = await access.authorize(caller, 'assistants', 'create', create);
  const { assistant_id, graph_id, name, description = null, if_exists } = create;
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
  const existing = if_exists === 'do_nothing' ? await findAssistant(db, assistant_id, reach) : undefined;
  if (!existing) throw new AssistantExists(assistant_id);
  return existing;
}

/** Creates a new version, even for an empty patch. Throws AssistantNotFound, GraphNotFound, GraphFixed, BadRequest. */
export async function patchAssistant(
  deps: AgentDeps,
  caller: Caller,
  ref: string,
  asked: AssistantPatch,
): Promise<Assistant> {
  const patch = { ...asked, assistant_id: ref };
  const reach = await deps.access.authorize(caller, 'assistants', 'update', patch);
  if (patch.graph_id !== undefined) deps.project.require(patch.graph_id);
  return inTransaction(deps.db, async (tx) => {
    const before = await lockAssistant(tx, ref, reach);
    if (!before) throw new AssistantNotFound(ref);
    if (isSystem(deps, before.assistant_id) && (patch.graph_id ?? before.graph_id) !== before.graph_id)
      throw new GraphFixed(before.graph_id);
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
 * Stops the assistant's runs, then removes it with its versions and crons and, on request, the caller's threads that
 * last ran it. A graph's system assistant is then recreated in its initial state, so that the graph's name stays
 * valid. Throws AssistantNotFound, and Unavailable if a run can't be stopped.
 */
export async function removeAssistant(
  deps: AgentDeps,
  caller: Caller,
  ref: string,
  deleteThreads: boolean,
): Promise<void> {
  const { access, db } = deps;
  const reach = await access.authorize(caller, 'assistants', 'delete', { assistant_id: ref });
  const { assistant_id } = await requireAssistant(db, ref, reach);
  const threads = deleteThreads
    ? await listThreadsOfAssistant(db, assistant_id, await access.authorize(caller, 'threads', 'delete', {}))
    : [];
  await stopAll(deps, assistant_id);
  if (threads.length > 0) await pruneThreads(deps, threads, 'delete');
  const crons = await listCronIds(db, { assistant_id });
  if (!(await deleteAssistant(deps.db, assistant_id))) throw new AssistantNotFound(ref);
  await unschedule(deps, crons);
  // Stops runs that started in the meantime; no more can follow.
  await stopAll(deps, assistant_id);
  if (isSystem(deps, assistant_id)) await syncSystemAssistants(deps.db, deps.systemAssistants);
}

const isSystem = ({ project }: AgentDeps, id: string): boolean =>
  [...project.graphs.keys()].some((graphId) => systemAssistantId(graphId) === id);

async function stopAll(deps: AgentDeps, assistant_id: string): Promise<void> {
  await stopRuns(deps, await listInFlight(deps.db, { assistant_id }), 'interrupt');
}
