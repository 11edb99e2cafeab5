import type { Command, RunRequest } from '../../graph-protocol/messages.ts';
import type { LangGraphModule } from '../graphs/graph-engine.ts';

export interface EngineConfig extends Record<string, unknown> {
  runId: string;
  configurable: Record<string, unknown>;
}

/** The engine's configuration for this attempt. */
export function engineConfig({ run_id, graph_id, config }: RunRequest, signal: AbortSignal): EngineConfig {
  const { configurable, context, metadata, tags, recursion_limit } = config;
  return {
    configurable: { checkpoint_ns: '', ...configurable },
    context,
    metadata,
    ...(tags && { tags }),
    ...(recursion_limit && { recursionLimit: recursion_limit }),
    runId: run_id,
    runName: graph_id,
    signal,
  };
}

interface CheckpointReader {
  getTuple(config: object): Promise<{ metadata?: object; pendingWrites?: PendingWrite[] } | undefined>;
}

type PendingWrite = [taskId: string, channel: string, value: unknown];

/**
 * The engine's input: the caller's input or command on a first attempt; null once this run has a checkpoint, so that
 * the engine continues from there without repeating finished work.
 */
export async function engineInput(
  { run_id, thread_id, input, command, resume }: RunRequest,
  langgraph: LangGraphModule,
  checkpoints: CheckpointReader,
  config: EngineConfig,
): Promise<{ input: unknown; config: EngineConfig }> {
  if (resume) {
    const latest = await checkpoints.getTuple({ configurable: { thread_id, checkpoint_ns: '' } });
    const { run_id: writer } = (latest?.metadata ?? {}) as { run_id?: string };
    if (writer === run_id) {
      const { checkpoint_id: _fork, checkpoint_map: _map, ...configurable } = config.configurable;
      return { input: null, config: { ...config, configurable } };
    }
  }
  if (!command) return { input, config };
  const answered = await withAnswer(command, checkpoints, config.configurable);
  return { input: toCommand(answered, langgraph), config };
}

// Channels that an unfinished task writes.
const UNFINISHED = new Set(['__interrupt__', '__resume__', '__error__', '__error_source_node__']);

/**
 * The engine treats `false`, `0` and `""` as no answer. They reach the graph if they are keyed by the id of the
 * interrupt they answer.
 */
async function withAnswer(
  command: Command,
  checkpoints: CheckpointReader,
  { thread_id, checkpoint_id }: Record<string, unknown>,
): Promise<Command> {
  const { resume } = command;
  if (resume === undefined || resume === null || resume) return command;
  const point = { thread_id, checkpoint_ns: '', ...(checkpoint_id !== undefined && { checkpoint_id }) };
  const { pendingWrites = [] } = (await checkpoints.getTuple({ configurable: point })) ?? {};
  const done = new Set(pendingWrites.filter(([, channel]) => !UNFINISHED.has(channel)).map(([task]) => task));
  const open = pendingWrites.find(([task, channel]) => channel === '__interrupt__' && !done.has(task));
  const id = (open?.[2] as { id?: string } | undefined)?.id;
  return id === undefined ? command : { ...command, resume: { [id]: resume } };
}

/** Converts the wire form of a command to the engine's own Command (contract §5.2). */
export function toCommand(
  { update, resume, goto }: Command,
  { Command: EngineCommand, Send }: LangGraphModule,
): object {
  const target = (step: unknown) => {
    if (typeof step === 'string') return step;
    const { node, input } = step as { node: string; input?: unknown };
    return new Send(node, input);
  };
  return new EngineCommand({
    ...(update !== undefined && update !== null && { update }),
    ...(resume !== undefined && { resume }),
    ...(goto !== undefined && { goto: Array.isArray(goto) ? goto.map(target) : target(goto) }),
  });
}
