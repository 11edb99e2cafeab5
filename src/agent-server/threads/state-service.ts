import { isTransient } from '../../platform/db/database.ts';
import { BadRequest, InvalidRequest, PublicError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type {
  HistoryRequest,
  Json,
  StateRequest,
  StatePoint,
  StateWrite,
  UpdateResult,
} from '../../graph-protocol/messages.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { postgresStorage } from '../checkpoints/postgres-storage.ts';
import { CheckpointNotFound, GraphUnreadable, StateBusy, ThreadNotFound } from '../errors.ts';
import { factoryConfig } from '../records/state-configuration.ts';
import { findStateOwner, saveState, type StateOwner } from '../records/state-repository.ts';
import { emptyState } from './thread-state.ts';

/** The thread's owner and the graph that reads its state; no graph if the thread never ran and names none. */
async function openThread(
  { db, project }: AgentDeps,
  threadId: string,
): Promise<{ owner: StateOwner; graph: StateRequest | undefined }> {
  const owner = await findStateOwner(db, threadId);
  if (!owner) throw new ThreadNotFound(threadId);
  const { graph_id } = owner;
  if (!graph_id || !project.graphs.has(graph_id)) return { owner, graph: undefined };
  return { owner, graph: { graph_id, config: factoryConfig(owner, { thread_id: threadId }) } };
}

/** Reads the state on a host. Throws GraphUnreadable if the graph's own code fails. */
async function ask<Result>(
  { db, hosts }: AgentDeps,
  ...[method, request]:
    ['state.get', StateRequest & { subgraphs: boolean }] | ['state.history', HistoryRequest]
): Promise<Result> {
  try {
    return await hosts.call<Result>(method, request, { storage: postgresStorage(db) });
  } catch (error) {
    throw isOurs(error) ? error : new GraphUnreadable(request.graph_id);
  }
}

/** False for errors from the project's code. */
const isOurs = (error: unknown): boolean => error instanceof PublicError || isTransient(error);

/** State at a checkpoint, by default the latest. Throws ThreadNotFound, CheckpointNotFound. */
export async function readThreadState(
  deps: AgentDeps,
  threadId: string,
  point: StatePoint | undefined,
  subgraphs: boolean,
): Promise<Json> {
  const { graph, owner } = await openThread(deps, threadId);
  if (!graph) {
    if (point?.checkpoint_id) throw new CheckpointNotFound(point.checkpoint_id);
    return emptyState(owner.values);
  }
  const found = await ask<Json | null>(deps, 'state.get', { ...graph, point, subgraphs });
  if (!found && point?.checkpoint_id) throw new CheckpointNotFound(point.checkpoint_id);
  return found ?? emptyState();
}

export interface HistoryQuery {
  limit: number;
  before?: StatePoint | undefined;
  metadata?: Json | undefined;
  checkpoint?: StatePoint | undefined;
}

/** Checkpoints, newest first; empty if the thread has no graph yet. Throws ThreadNotFound. */
export async function readHistory(deps: AgentDeps, threadId: string, query: HistoryQuery): Promise<Json[]> {
  const { graph } = await openThread(deps, threadId);
  if (!graph) return [];
  const { limit, before, metadata, checkpoint: point } = query;
  const filter = metadata && Object.keys(metadata).length > 0 ? metadata : undefined;
  const isBefore = before?.checkpoint_id ? before : undefined;
  return ask<Json[]>(deps, 'state.history', { ...graph, limit, before: isBefore, filter, point });
}

/**
 * Applies writes in order, one superstep at a time, and refreshes the thread record. Throws ThreadNotFound, StateBusy
 * if runs are in flight, BadRequest if the thread has no graph or the graph rejects the writes.
 */
export async function writeState(
  deps: AgentDeps,
  threadId: string,
  supersteps: StateWrite[][],
  point?: StatePoint,
): Promise<{ configurable: Json }> {
  const { db, hosts } = deps;
  const { graph, owner } = await openThread(deps, threadId);
  if (owner.in_flight) throw new StateBusy();
  if (!graph) throw new BadRequest(`Thread ${threadId} has no graph: run it once, or set metadata.graph_id`);
  const request = { ...graph, point, supersteps };
  const { configurable, state, summary } = await hosts
    .call<UpdateResult>('state.update', request, { storage: postgresStorage(db) })
    .catch((error: unknown) => {
      // An update that the graph rejects is the caller's error.
      throw isOurs(error) ? error : new BadRequest((error as Error).message.split('\n')[0]!);
    });
  await saveState(db, threadId, summary, { state, thread_id: threadId });
  return { configurable };
}

/** Parses `before`: an id, a checkpoint, or a runnable config (contract §4.5). Throws InvalidRequest. */
export function readBefore(before: unknown): StatePoint | undefined {
  if (before === undefined || before === null) return undefined;
  const { checkpoint_id, configurable } = before as {
    checkpoint_id?: unknown;
    configurable?: { checkpoint_id?: unknown } | null;
  };
  const id = typeof before === 'string' ? before : (checkpoint_id ?? configurable?.checkpoint_id);
  if (typeof id !== 'string' || !isUuid(id))
    throw new InvalidRequest('body.before must name a checkpoint_id');
  return { checkpoint_id: id };
}
