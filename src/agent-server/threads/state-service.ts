import { isTransient } from '../../platform/db/database.ts';
import { BadRequest, InvalidRequest } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { CheckpointNotFound, GraphUnreadable, StateBusy, ThreadNotFound } from '../errors.ts';
import { createCheckpointer } from '../../graph-host/checkpoints/checkpointer.ts';
import { type StateSummary, summarize } from '../../graph-host/graphs/graph-state.ts';
import type { GraphInstance, LangGraphModule } from '../../graph-host/project/project.ts';
import { publicFailure } from '../../platform/redaction/public-failure.ts';
import { toCommand } from '../../graph-host/runs/engine-input.ts';
import type { Command } from '../runs/run.ts';
import { factoryConfig, updateConfig } from './state-configuration.ts';
import { findStateOwner, saveState, type StateOwner } from './state-repository.ts';
import { emptyState, type Snapshot, toThreadState } from './thread-state.ts';

type Json = Record<string, unknown>;

export interface Point {
  checkpoint_ns?: string | undefined;
  checkpoint_id?: string | undefined;
  checkpoint_map?: Json | undefined;
}

interface OpenThread {
  owner: StateOwner;
  /** Undefined when the thread never ran and names no graph. */
  graph: GraphInstance | undefined;
  /** The copy of the engine the graph was made with. */
  langgraph?: LangGraphModule;
  at(point?: Point): { configurable: Json };
  /** The same, with what the last run was configured with: an update passes the graph's own edges. */
  configuredAt(point?: Point): { configurable: Json };
}

/** The thread with its graph, ready to be read or written. Throws ThreadNotFound, GraphUnreadable. */
async function openThread({ db, project, store, log }: AgentDeps, threadId: string): Promise<OpenThread> {
  const owner = await findStateOwner(db, threadId);
  if (!owner) throw new ThreadNotFound(threadId);
  const at = ({ checkpoint_ns = '', checkpoint_id, checkpoint_map }: Point = {}) => ({
    configurable: {
      thread_id: threadId,
      checkpoint_ns,
      ...(checkpoint_id && { checkpoint_id }),
      ...(checkpoint_map && { checkpoint_map }),
    },
  });
  const { graph_id } = owner;
  const configuredAt = (point?: Point) => updateConfig(owner, at(point).configurable);
  if (!graph_id || !project.graphs.has(graph_id)) return { owner, graph: undefined, at, configuredAt };
  const source = project.require(graph_id);
  const checkpointer = createCheckpointer(source.langgraph, { db, metadata: { graph_id } });
  const graph = await source
    .instantiate({ config: factoryConfig(owner, at().configurable), checkpointer, store: store.forGraph })
    .catch((error: unknown) => {
      log.warn({ err: error, graph_id }, 'graph could not be made');
      throw new GraphUnreadable(graph_id);
    });
  return { owner, graph, at, configuredAt, langgraph: source.langgraph };
}

/** State at a point, the latest when none is given. Throws ThreadNotFound, CheckpointNotFound. */
export async function readThreadState(
  deps: AgentDeps,
  threadId: string,
  point: Point | undefined,
  subgraphs: boolean,
): Promise<Json> {
  const { graph, owner, at } = await openThread(deps, threadId);
  if (!graph) {
    if (point?.checkpoint_id) throw new CheckpointNotFound(point.checkpoint_id);
    return emptyState(owner.values);
  }
  const snapshot = (await graph.getState(at(point), { subgraphs })) as Snapshot;
  const found =
    snapshot.config?.configurable?.['checkpoint_id'] !== undefined && snapshot.createdAt !== undefined;
  if (point?.checkpoint_id && !found) throw new CheckpointNotFound(point.checkpoint_id);
  return found ? toThreadState(snapshot) : emptyState();
}

export interface HistoryQuery {
  limit: number;
  before?: Point | undefined;
  metadata?: Json | undefined;
  checkpoint?: Point | undefined;
}

/** Checkpoints newest first; none when the thread has no graph yet. Throws ThreadNotFound. */
export async function readHistory(deps: AgentDeps, threadId: string, query: HistoryQuery): Promise<Json[]> {
  const { graph, at } = await openThread(deps, threadId);
  if (!graph) return [];
  const { limit, before, metadata, checkpoint } = query;
  const history: AsyncIterable<unknown> = graph.getStateHistory(at(checkpoint), {
    limit,
    ...(before?.checkpoint_id && { before: at(before) }),
    ...(metadata && Object.keys(metadata).length > 0 && { filter: metadata }),
  });
  const states: Json[] = [];
  for await (const snapshot of history) states.push(toThreadState(snapshot as Snapshot));
  return states;
}

export interface StateWrite {
  values?: unknown;
  as_node?: string | undefined;
  command?: Command | undefined;
}

/**
 * Applies writes in order, each superstep at once, and refreshes the thread record. Throws ThreadNotFound,
 * StateBusy when runs are in flight, BadRequest when the thread has no graph or the graph refuses.
 */
export async function writeState(
  deps: AgentDeps,
  threadId: string,
  supersteps: StateWrite[][],
  point?: Point,
): Promise<{ configurable: Json }> {
  const { graph, owner, at, configuredAt, langgraph } = await openThread(deps, threadId);
  if (owner.in_flight) throw new StateBusy();
  if (!graph || !langgraph)
    throw new BadRequest(`Thread ${threadId} has no graph: run it once, or set metadata.graph_id`);
  const steps = supersteps.map((updates) => ({
    updates: updates.map(({ values, as_node, command }) => ({
      values: command ? toCommand(command, langgraph) : (values ?? null),
      ...(as_node !== undefined && { asNode: as_node }),
    })),
  }));
  let written: { configurable: Json };
  try {
    written = (await graph.bulkUpdateState(configuredAt(point), steps)) as { configurable: Json };
  } catch (error) {
    throw refused(error);
  }
  await refreshThread(deps, threadId, graph, at());
  return written;
}

async function refreshThread(
  { db }: AgentDeps,
  threadId: string,
  graph: GraphInstance,
  config: { configurable: Json },
): Promise<void> {
  const snapshot = (await graph.getState(config)) as Snapshot;
  const summary: StateSummary = summarize(snapshot);
  await saveState(db, threadId, summary, { state: toThreadState(snapshot), thread_id: threadId });
}

/** What the graph makes of an update is the caller's to mend; our database's failures are not. */
const refused = (error: unknown): unknown =>
  isTransient(error) ? error : new BadRequest(publicFailure(error).message.split('\n')[0]!);

/** `before` comes as an id, a point, or a runnable config (contract §4.5). Throws InvalidRequest. */
export function readBefore(before: unknown): Point | undefined {
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
