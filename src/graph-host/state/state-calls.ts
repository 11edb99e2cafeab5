import type { Exchange } from '../../graph-protocol/exchange.ts';
import type {
  HistoryRequest,
  Json,
  StatePoint,
  StateRequest,
  StateSummary,
  UpdateRequest,
  UpdateResult,
} from '../../graph-protocol/messages.ts';
import { createCheckpointer } from '../checkpoints/checkpointer.ts';
import { remoteStorage } from '../checkpoints/remote-storage.ts';
import type { GraphInstance } from '../graphs/graph-instance.ts';
import { readState, summarize } from '../graphs/graph-state.ts';
import { type Snapshot, toThreadState } from '../graphs/thread-state.ts';
import type { HostDeps } from '../host-deps.ts';
import { Refused } from '../host-error.ts';
import { toCommand } from '../runs/engine-input.ts';

/** Creates the request's graph on the checkpoints of the server's call. Throws Refused if its factory fails. */
async function openGraph(
  { channel, project, store, log }: HostDeps,
  { graph_id, config }: StateRequest,
  scope: number,
): Promise<GraphInstance> {
  const source = project.require(graph_id);
  const storage = remoteStorage(channel, scope);
  const checkpointer = createCheckpointer(source.langgraph, { storage, metadata: { graph_id } });
  try {
    return await source.instantiate({ config, checkpointer, store: store.of(source.langgraph) });
  } catch (error) {
    log.warn({ err: error, graph_id }, 'could not create graph');
    throw new Refused(422, `Graph '${graph_id}' cannot be read: its own code failed`);
  }
}

function pointOf({ config }: StateRequest, point?: StatePoint | null): { configurable: Json } {
  const { checkpoint_ns = '', checkpoint_id, checkpoint_map } = point ?? {};
  return {
    configurable: {
      thread_id: config.configurable['thread_id'],
      checkpoint_ns,
      ...(checkpoint_id && { checkpoint_id }),
      ...(checkpoint_map && { checkpoint_map }),
    },
  };
}

export async function summarizeState(
  deps: HostDeps,
  request: StateRequest,
  { id }: Exchange,
): Promise<StateSummary> {
  return readState(await openGraph(deps, request, id), pointOf(request).configurable);
}

/** Null if there is no checkpoint. */
export async function getState(
  deps: HostDeps,
  request: StateRequest & { subgraphs: boolean },
  { id }: Exchange,
): Promise<Json | null> {
  const graph = await openGraph(deps, request, id);
  const { subgraphs } = request;
  const snapshot = (await graph.getState(pointOf(request, request.point), { subgraphs })) as Snapshot;
  const isThere =
    snapshot.config?.configurable?.['checkpoint_id'] !== undefined && snapshot.createdAt !== undefined;
  return isThere ? toThreadState(snapshot) : null;
}

export async function getHistory(deps: HostDeps, request: HistoryRequest, { id }: Exchange): Promise<Json[]> {
  const graph = await openGraph(deps, request, id);
  const { limit, before, filter, point } = request;
  const history = graph.getStateHistory(pointOf(request, point), {
    limit,
    ...(before && { before: pointOf(request, before) }),
    ...(filter && { filter }),
  });
  const states: Json[] = [];
  for await (const snapshot of history) states.push(toThreadState(snapshot as Snapshot));
  return states;
}

// The caller that updates a state may be another user than that of the run that configured it.
const OF_ITS_USER = /^langgraph_auth_/;

/** Applies writes in order, each superstep at once, and reads the resulting state. */
export async function updateState(
  deps: HostDeps,
  request: UpdateRequest,
  { id }: Exchange,
): Promise<UpdateResult> {
  const graph = await openGraph(deps, request, id);
  const { langgraph } = deps.project.require(request.graph_id);
  const kept = Object.entries(request.config.configurable).filter(([key]) => !OF_ITS_USER.test(key));
  const config = {
    ...request.config,
    configurable: { ...Object.fromEntries(kept), ...pointOf(request, request.point).configurable },
  };
  const steps = request.supersteps.map((updates) => ({
    updates: updates.map(({ values, as_node, command }) => ({
      values: command ? toCommand(command, langgraph) : (values ?? null),
      ...(as_node !== undefined && { asNode: as_node }),
    })),
  }));
  const { configurable } = (await graph.bulkUpdateState(config, steps)) as { configurable: Json };
  const snapshot = (await graph.getState(pointOf(request))) as Snapshot;
  return { configurable, state: toThreadState(snapshot), summary: summarize(snapshot) };
}
