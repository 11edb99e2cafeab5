import { describeThrown } from '../thrown.ts';

/** A graph's drawable form, from the engine. */
interface EngineDrawing {
  nodes: Record<string, { id: string; name?: string; data: object; metadata?: object }>;
  edges: { source: string; target: string; data?: string; conditional?: boolean }[];
}

interface StreamEventRecord {
  event: string;
  name: string;
  run_id: string;
  tags?: string[];
  metadata: Record<string, unknown>;
  data: { chunk?: unknown; input?: unknown; output?: unknown };
}

type Options = Record<string, unknown>;

/** A compiled graph: the parts of the engine's `Pregel` we use, in every version. */
export interface GraphInstance {
  readonly lg_is_pregel: true;
  readonly name?: string;
  readonly description?: string;
  readonly nodes: Record<string, object>;
  readonly channels: Record<string, object>;
  readonly config?: object;
  /** The state graph it was compiled from; functional graphs have none. */
  readonly builder?: object;
  readonly checkpointer?: object | boolean;
  readonly store?: object;
  /** Since 1.4. */
  readonly streamTransformers?: readonly unknown[];
  invoke(input: unknown, options?: Options): Promise<unknown>;
  stream(input: unknown, options?: Options): Promise<AsyncIterable<unknown>>;
  streamEvents(input: unknown, options: Options & { version: 'v1' | 'v2' }): AsyncIterable<StreamEventRecord>;
  getState(config: Options, options?: { subgraphs?: boolean }): Promise<unknown>;
  getStateHistory(config: Options, options?: Options): AsyncIterable<unknown>;
  updateState(config: Options, values: unknown, asNode?: string): Promise<Options>;
  bulkUpdateState(
    config: Options,
    supersteps: { updates: { values?: unknown; asNode?: string }[] }[],
  ): Promise<Options>;
  getGraphAsync(config?: Options): Promise<EngineDrawing>;
  getSubgraphsAsync(
    namespace?: string,
    recurse?: boolean,
  ): AsyncIterable<[namespace: string, graph: GraphInstance]>;
  withConfig(config: Options): GraphInstance;
}

/** An export that isn't a graph; the message describes it. */
export class NotAGraph extends Error {
  override readonly name = 'NotAGraph';
}

/**
 * The compiled graph behind a project's export or factory result: a compiled graph, a builder, an agent around a
 * graph, or a graph bound to a configuration. Throws NotAGraph.
 */
export function asGraph(value: unknown): GraphInstance {
  if (isPregel(value)) return value;
  if (typeof value !== 'object' || value === null) throw new NotAGraph(describeKind(value));
  const { compile, graph, bound, config } = value as {
    compile?: unknown;
    graph?: unknown;
    bound?: unknown;
    config?: object;
  };
  // Checked first: an agent has a `builder` too, and only builders have `compile`.
  if (isPregel(graph)) return graph;
  if (isPregel(bound)) return bound.withConfig({ ...config });
  if (typeof compile !== 'function') throw new NotAGraph(describeKind(value));
  try {
    return asGraph((value as { compile(): unknown }).compile());
  } catch (error) {
    if (error instanceof NotAGraph) throw error;
    throw new NotAGraph(`does not compile: ${describeThrown(error)}`);
  }
}

// By shape, because the class is the project's own copy. A remote graph has no nodes, so it can't run here.
function isPregel(value: unknown): value is GraphInstance {
  return (
    typeof value === 'object' &&
    value !== null &&
    'lg_is_pregel' in value &&
    'nodes' in value &&
    'channels' in value
  );
}

function describeKind(value: unknown): string {
  return `is ${withArticle(kindOf(value))}, not a compiled graph, a graph builder or a function that returns one`;
}

function kindOf(value: unknown): string {
  if (typeof value === 'object') return value === null ? 'null' : value.constructor?.name || 'object';
  // A plain function would be a factory.
  return typeof value === 'function' ? 'class' : typeof value;
}

const withArticle = (noun: string): string =>
  noun === 'null' || noun === 'undefined' ? noun : `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

/**
 * Copies the graph for one run, with our checkpointer and store. Uses the graph's constructor, as `withConfig` does:
 * a copy by prototype would lack private members.
 */
export function cloneGraph(
  graph: GraphInstance,
  injected: { checkpointer?: object; store?: object },
): GraphInstance {
  const { constructor } = graph as unknown as { constructor: new (fields: object) => GraphInstance };
  // Validating again would list each node twice in a table that all copies share.
  return new constructor({ ...graph, ...injected, autoValidate: false });
}
