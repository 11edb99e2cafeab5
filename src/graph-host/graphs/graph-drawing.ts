import type { GraphInstance } from './graph-instance.ts';
import type { GraphSchemas, Xray } from '../../graph-protocol/messages.ts';
import type { LoadedGraph } from './loaded-graph.ts';

interface DrawnNode {
  id: string;
  type: 'runnable' | 'schema';
  data: { id?: string[]; name: string } | string;
  metadata?: object;
}

/** Nodes and edges (contract §3.2); ids inside a subgraph are `parent:child`. */
export interface GraphDrawing {
  nodes: DrawnNode[];
  edges: { source: string; target: string; data?: string; conditional?: true }[];
}

// More levels than any graph has, so that deeper requests share a cache entry.
const MOST_LEVELS = 16;

const END = '__end__';

const drawings = new WeakMap<LoadedGraph, Map<Xray, Promise<GraphDrawing>>>();

/** Draws a graph, cached by depth unless a factory depends on `config`. */
export function drawGraph(graph: LoadedGraph, xray: Xray, config: object = {}): Promise<GraphDrawing> {
  const depth = typeof xray === 'number' && xray > MOST_LEVELS ? true : xray;
  if (graph.isFactory) return graph.instantiate({ config }).then((instance) => draw(instance, depth));
  const known = drawings.get(graph) ?? new Map<Xray, Promise<GraphDrawing>>();
  drawings.set(graph, known);
  const drawing = known.get(depth) ?? graph.instantiate({}).then((instance) => draw(instance, depth));
  known.set(depth, drawing);
  return drawing;
}

async function draw(graph: GraphInstance, xray: Xray): Promise<GraphDrawing> {
  if (!graph.builder) return drawSequence(graph);
  const { nodes, edges } = await graph.getGraphAsync({ xray });
  return withEnd({
    nodes: Object.values(nodes).map(({ id, data, metadata }) => ({
      id,
      ...nodeData(id, data),
      ...(metadata && Object.keys(metadata).length > 0 && { metadata }),
    })),
    edges: edges.map(({ source, target, data, conditional }) => ({
      source,
      target,
      ...(data !== undefined && { data }),
      ...(conditional && { conditional: true as const }),
    })),
  });
}

/** Older engines omit the end node if no edge leads to it. */
function withEnd({ nodes, edges }: GraphDrawing): GraphDrawing {
  if (nodes.some(({ id }) => id === END)) return { nodes, edges };
  const sources = new Set(edges.map(({ source }) => source));
  const last = nodes.filter(({ id }) => !sources.has(id)).map(({ id }) => ({ source: id, target: END }));
  return { nodes: [...nodes, { id: END, type: 'schema', data: END }], edges: [...edges, ...last] };
}

function nodeData(id: string, data: object): Pick<DrawnNode, 'type' | 'data'> {
  const { lc_runnable, lc_id, getName } = data as {
    lc_runnable?: boolean;
    lc_id?: string[];
    getName?: (this: object) => string;
  };
  if (!lc_runnable) return { type: 'schema', data: id };
  const named = getName?.call(data);
  // The engine's name for a graph compiled without one.
  const name = named && named !== 'LangGraph' ? named : id.slice(id.lastIndexOf(':') + 1);
  return { type: 'runnable', data: { ...(lc_id && { id: lc_id }), name } };
}

/** Functional graphs have no edges, only an entry point. */
function drawSequence(graph: GraphInstance): GraphDrawing {
  const names = Object.keys(graph.nodes);
  return {
    nodes: [
      { id: '__start__', type: 'schema', data: '__start__' },
      ...names.map((name): DrawnNode => ({ id: name, type: 'runnable', data: { name } })),
      { id: END, type: 'schema', data: END },
    ],
    edges: names.flatMap((name) => [
      { source: '__start__', target: name },
      { source: name, target: END },
    ]),
  };
}

export interface SubgraphOptions {
  /** Limits the result to this namespace and, with `recurse`, those below it. Ignores task ids in it. */
  namespace?: string;
  recurse?: boolean;
  config?: object;
}

/** Schemas of subgraphs by namespace: `child`, `child|grandchild`. */
export async function subgraphSchemas(
  graph: LoadedGraph,
  { namespace, recurse = false, config = {} }: SubgraphOptions = {},
): Promise<Record<string, GraphSchemas>> {
  const wanted = namespace
    ?.split('|')
    .map((part) => part.split(':')[0])
    .join('|');
  const instance = await graph.instantiate({ config });
  const found: [string, GraphSchemas][] = [];
  // The engine's filter matches any name with this prefix.
  for await (const [path, subgraph] of instance.getSubgraphsAsync(
    undefined,
    recurse || wanted !== undefined,
  )) {
    const below =
      wanted === undefined ? recurse || !path.includes('|') : recurse && path.startsWith(`${wanted}|`);
    if (below || path === wanted) found.push([path, await graph.describeSubgraph(path, subgraph)]);
  }
  return Object.fromEntries(found);
}
