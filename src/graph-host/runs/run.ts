import type { Logger } from 'pino';
import { fromWireCheckpoint, toWireUnit } from '../../graph-protocol/checkpoint-wire.ts';
import type { Exchange } from '../../graph-protocol/exchange.ts';
import type { RunAnswer, RunRequest } from '../../graph-protocol/messages.ts';
import { createCheckpointer } from '../checkpoints/checkpointer.ts';
import { remoteStorage } from '../checkpoints/remote-storage.ts';
import { readState } from '../graphs/graph-state.ts';
import { streamGraph } from '../graphs/graph-stream.ts';
import { NodeTracker, trackNodes } from '../graphs/node-tracker.ts';
import { Cancelled } from '../host-error.ts';
import { actingAs } from '../in-process/acting.ts';
import type { HostDeps } from '../host-deps.ts';
import { engineConfig, engineInput } from './engine-input.ts';

/** Runs a graph and streams what it shows. Throws Cancelled once its nodes have returned, or what the graph throws. */
export function executeRun(deps: HostDeps, request: RunRequest, exchange: Exchange): Promise<RunAnswer> {
  const { run_id, thread_id, graph_id, user } = request;
  const { langgraph } = deps.project.require(graph_id);
  const node = () => langgraph.getConfig?.()?.metadata?.['langgraph_node'] as string | undefined;
  return actingAs({ user, run_id, thread_id, node, scope: exchange.id }, () =>
    attempt(deps, request, exchange),
  );
}

async function attempt(
  { channel, project, store, log }: HostDeps,
  request: RunRequest,
  exchange: Exchange,
): Promise<RunAnswer> {
  const { run_id, thread_id, graph_id, assistant_id, checkpoint } = request;
  const source = project.require(graph_id);
  // Aborted if a checkpoint write fails; the engine itself would continue until it awaits its writes.
  const broken = new AbortController();
  const signal = AbortSignal.any([exchange.signal, broken.signal]);
  const nodes = new NodeTracker();
  const checkpointer = createCheckpointer(source.langgraph, {
    storage: remoteStorage(channel, exchange.id),
    fenced: true,
    deferred: request.takes_units && request.durability !== 'sync',
    run_id,
    metadata: { graph_id, assistant_id, run_id },
    ...(checkpoint !== undefined && {
      start: { thread_id, checkpoint: checkpoint ? fromWireCheckpoint(checkpoint) : undefined },
    }),
    onFailure: (error) => broken.abort(error),
  });
  try {
    const configured = engineConfig(request, signal);
    const [graph, { input, config }] = await Promise.all([
      source.instantiate({ config: configured, checkpointer, store: store.of(source.langgraph) }),
      engineInput(request, source.langgraph, checkpointer, configured),
    ]);
    trackNodes(graph);
    await nodes.run(async () => {
      for await (const { event, data } of streamGraph({ graph, request, config, input })) {
        const pressed = exchange.send(event, data);
        if (pressed) await pressed;
      }
    }, signal);
    signal.throwIfAborted();
    const state = await readState(graph, { thread_id, checkpoint_ns: '' });
    const units = await checkpointer.take();
    return units.length > 0 ? { ...state, units: units.map(toWireUnit) } : state;
  } catch (error) {
    const left = !signal.aborted || (await haveLeft(nodes, request, log));
    // The server reads the state that the run left.
    await checkpointer.drain().catch(() => {});
    if (exchange.signal.aborted) throw new Cancelled(left);
    if (broken.signal.aborted) throw broken.signal.reason;
    throw error;
  }
}

async function haveLeft(nodes: NodeTracker, { run_id, leave_ms }: RunRequest, log: Logger): Promise<boolean> {
  const left = await nodes.idle(leave_ms);
  if (!left) log.warn({ run_id }, 'a node continued after its run was stopped; its writes have no effect');
  return left;
}
