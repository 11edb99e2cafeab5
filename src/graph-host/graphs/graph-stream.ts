import type { RunRequest } from '../../graph-protocol/messages.ts';
import { type AccumulatedEvent, MessageAccumulator } from './message-accumulator.ts';
import { toWireJson } from './message-json.ts';
import type { GraphInstance } from './graph-instance.ts';
import { publicChunk, publicRecord } from './public-chunk.ts';
import { ToolFailures } from './tool-failures.ts';
import { type Chunk, hasTransformers, transformedChunks } from './transformed-stream.ts';

/** An event for the run's readers: name (contract §6.3) and JSON text. */
export interface GraphEvent {
  event: string;
  data: string;
}

export interface GraphStreamOptions {
  graph: GraphInstance;
  /** State, a Command, or null to continue from the checkpoint. */
  input: unknown;
  request: Pick<
    RunRequest,
    'stream_mode' | 'subgraphs' | 'interrupt_before' | 'interrupt_after' | 'durability'
  >;
  /** The engine's configuration: configurable, metadata, tags, signal, … */
  config: Record<string, unknown> & { runId: string };
}

/** The engine omits the namespace unless subgraphs are streamed; 1.0 then names the root ''. */
const withNamespace = (chunk: unknown): Chunk => {
  const [namespace, ...rest] = chunk as [string[] | string, ...unknown[]];
  if (!Array.isArray(namespace)) return [[], ...(chunk as [string, unknown])];
  return [namespace[0] === '' ? [] : namespace, ...(rest as [string, unknown])];
};

/** Drives the graph and yields events of the requested stream modes as JSON. */
export async function* streamGraph(options: GraphStreamOptions): AsyncGenerator<GraphEvent> {
  const { stream_mode: modes } = options.request;
  const tools = new ToolFailures();
  const render = new ChunkRenderer(modes, tools);
  const config = { ...engineConfig(options), callbacks: [tools.handler] };
  if (modes.includes('tools') && hasTransformers(options.graph)) {
    for await (const chunk of transformedChunks(options.graph, options.input, config))
      yield* render.events(chunk);
    return;
  }
  if (!modes.includes('events')) {
    for await (const chunk of await options.graph.stream(options.input, engineConfig(options))) {
      yield* render.events(withNamespace(chunk));
    }
    return;
  }
  const { runId } = options.config;
  for await (const record of options.graph.streamEvents(options.input, { ...config, version: 'v2' })) {
    if (record.event === 'on_chain_stream' && record.run_id === runId) {
      const chunk = withNamespace(record.data?.chunk);
      if (!isEnvelope(chunk)) yield* render.events(chunk);
    } else if (!record.tags?.includes(HIDDEN)) {
      yield { event: 'events', data: toWireJson(publicRecord(record, tools)) };
    }
  }
}

/** Since 1.7 the engine adds each state's checkpoint under the mode for whole checkpoints. */
const isEnvelope = ([, mode, data]: Chunk): boolean =>
  mode === 'checkpoints' && typeof data === 'object' && data !== null && !('values' in data);

/** Tag of the engine's own steps. */
const HIDDEN = 'langsmith:hidden';

const ENGINE_MODE: Record<string, string> = { 'messages-tuple': 'messages' };

function engineConfig({ request, config }: GraphStreamOptions): Record<string, unknown> {
  const modes = request.stream_mode
    .filter((mode) => mode !== 'events')
    .map((mode) => ENGINE_MODE[mode] ?? mode);
  // A message that came in chunks is complete once it is in the state.
  if (request.stream_mode.includes('messages')) modes.push('values');
  return {
    ...config,
    // The engine requires a mode; unrequested ones aren't rendered.
    streamMode: modes.length > 0 ? [...new Set(modes)] : ['values'],
    subgraphs: request.subgraphs,
    durability: request.durability,
    ...(request.interrupt_before && { interruptBefore: request.interrupt_before }),
    ...(request.interrupt_after && { interruptAfter: request.interrupt_after }),
  };
}

/** Renders the engine's chunks as events; those of a subgraph have its namespace in the event name. */
class ChunkRenderer {
  readonly #modes: ReadonlySet<string>;
  readonly #tools: ToolFailures;
  readonly #accumulator = new MessageAccumulator();
  // Every token of a message comes with the same metadata object.
  readonly #metadata = new WeakMap<object, string>();

  constructor(modes: string[], tools: ToolFailures) {
    this.#modes = new Set(modes);
    this.#tools = tools;
  }

  *events([namespace, mode, data]: Chunk): Generator<GraphEvent> {
    const suffix = namespace.length > 0 ? `|${namespace.join('|')}` : '';
    if (mode === 'messages' && Array.isArray(data)) {
      yield* this.#messages(data as [object, object], suffix);
      return;
    }
    if (this.#modes.has(mode))
      yield { event: mode + suffix, data: toWireJson(publicChunk(mode, data, this.#tools)) };
    if (mode === 'values' && this.#modes.has('messages'))
      yield* this.#accumulated(this.#accumulator.finish(data), suffix);
  }

  *#messages([message, metadata]: [object, object], suffix: string): Generator<GraphEvent> {
    if (this.#modes.has('messages-tuple')) {
      const text = toWireJson(message);
      yield { event: `messages${suffix}`, data: `[${text},${this.#metadataJson(metadata)}]` };
    }
    if (this.#modes.has('messages')) {
      yield* this.#accumulated(this.#accumulator.add(message, metadata), suffix);
    }
  }

  *#accumulated(events: Iterable<AccumulatedEvent>, suffix: string): Generator<GraphEvent> {
    for (const { event, data } of events)
      yield { event: `messages/${event}${suffix}`, data: toWireJson(data) };
  }

  #metadataJson(metadata: object): string {
    const known = this.#metadata.get(metadata);
    if (known !== undefined) return known;
    const text = toWireJson(metadata);
    this.#metadata.set(metadata, text);
    return text;
  }
}
