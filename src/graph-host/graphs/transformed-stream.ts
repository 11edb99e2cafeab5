import type { GraphInstance } from './graph-instance.ts';

/** A chunk of the engine: a graph's namespace, a stream mode, and its data. */
export type Chunk = [namespace: string[], mode: string, data: unknown];

interface EngineEvent {
  method: string;
  params: { namespace: string[]; node?: string; data: unknown };
}

type Fields = Record<string, unknown>;
type Drive = (input: unknown, options: object) => Promise<AsyncIterable<EngineEvent>>;

/** Whether the graph was compiled with stream transformers, which see and add events of the protocol only. */
export const hasTransformers = ({ streamTransformers = [] }: GraphInstance): boolean =>
  streamTransformers.length > 0;

/**
 * Runs a graph through its stream transformers. Yields their events and the engine's as chunks of the usual stream
 * modes; messages and tools already have the protocol's form.
 */
export async function* transformedChunks(
  graph: GraphInstance,
  input: unknown,
  { streamMode: _all, subgraphs: _too, ...config }: Fields,
): AsyncGenerator<Chunk> {
  const drive = graph.streamEvents.bind(graph) as unknown as Drive;
  // Here a checkpoint precedes its state; in every other stream it follows.
  const checkpoints = new Map<string, Chunk>();
  for await (const { method, params } of await drive(input, { ...config, version: 'v3' })) {
    const chunk = chunkOf(method, params);
    if (!chunk) continue;
    const place = params.namespace.join('|');
    if (method === 'checkpoints') checkpoints.set(place, chunk);
    else yield chunk;
    const checkpoint = method === 'values' && checkpoints.get(place);
    if (!checkpoint) continue;
    checkpoints.delete(place);
    yield checkpoint;
  }
}

const AS_THEY_ARE = new Set(['values', 'tasks', 'tools', 'checkpoints']);
const TOLD_BY_US = new Set(['lifecycle', 'input']);

function chunkOf(method: string, { namespace, node, data }: EngineEvent['params']): Chunk | undefined {
  if (AS_THEY_ARE.has(method)) return [namespace, method, data];
  if (TOLD_BY_US.has(method)) return undefined;
  const fields = (data ?? {}) as Fields;
  switch (method) {
    case 'updates':
      return [namespace, method, { [String(fields['node'])]: fields['values'] }];
    case 'custom':
      return [namespace, method, 'name' in fields ? fields : fields['payload']];
    case 'messages': {
      const isTask = node !== undefined && namespace.at(-1)?.startsWith(`${node}:`);
      return [isTask ? namespace.slice(0, -1) : namespace, method, { ...fields, langgraph_node: node }];
    }
    default:
      return [namespace, 'custom', { name: method.replace(/^custom:/, ''), payload: data }];
  }
}
