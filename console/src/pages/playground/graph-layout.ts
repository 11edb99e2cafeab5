import { Graph, layout } from '@dagrejs/dagre';
import type { AssistantGraph } from '@langchain/langgraph-sdk';

const HEIGHT = 34;
const PER_LETTER = 7.4;
const PADDING = 28;
const MIN_WIDTH = 64;

/** A labelled rectangle, positioned by its centre. */
export interface Box {
  id: string;
  label: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Line {
  id: string;
  path: string;
  isConditional: boolean;
  label: string;
  at: { x: number; y: number };
}

export interface Layout {
  width: number;
  height: number;
  nodes: Box[];
  /** Outlines of subgraphs, innermost last. */
  groups: Box[];
  lines: Line[];
}

const labelOf = (id: string): string =>
  id === '__start__' ? 'start' : id === '__end__' ? 'end' : id.split(':').at(-1)!;

/** Lays out a graph from top to bottom; `parent:child` is inside `parent`. */
export function layOut({ nodes, edges }: AssistantGraph): Layout {
  const graph = new Graph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 40, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  const groups = new Set<string>();
  for (const { id } of nodes) {
    const name = String(id);
    const label = labelOf(name);
    graph.setNode(name, {
      label,
      width: Math.max(MIN_WIDTH, label.length * PER_LETTER + PADDING),
      height: HEIGHT,
    });
    enclose(graph, groups, name);
  }
  edges.forEach(({ source, target }, index) => {
    if (graph.hasNode(source) && graph.hasNode(target) && !groups.has(source) && !groups.has(target))
      graph.setEdge(source, target, {}, String(index));
  });
  layout(graph);

  const boxOf = (id: string): Box => {
    const { x, y, width, height } = graph.node(id);
    return { id, label: labelOf(id), x, y, width, height };
  };
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: nodes.map(({ id }) => boxOf(String(id))),
    groups: [...groups].toSorted((one, other) => one.length - other.length).map(boxOf),
    lines: graph.edges().map((place) => {
      const { v, w, name } = place;
      const edge = edges[Number(name)]!;
      const { points } = graph.edge(place) as { points: { x: number; y: number }[] };
      return {
        id: `${v}→${w}#${name}`,
        path: smooth(points),
        isConditional: edge.conditional ?? false,
        label: typeof edge.data === 'string' && edge.data !== labelOf(w) ? edge.data : '',
        at: points[Math.floor(points.length / 2)]!,
      };
    }),
  };
}

function enclose(graph: Graph, groups: Set<string>, id: string): void {
  const parent = id.split(':').slice(0, -1).join(':');
  if (!parent) return;
  if (!groups.has(parent)) {
    groups.add(parent);
    graph.setNode(parent, { label: labelOf(parent) });
    enclose(graph, groups, parent);
  }
  graph.setParent(id, parent);
}

/** A curve through the midpoints between the points. */
function smooth(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  const middles = rest.slice(0, -1).map(({ x, y }, index) => {
    const next = rest[index + 1]!;
    return `Q ${x} ${y} ${(x + next.x) / 2} ${(y + next.y) / 2}`;
  });
  const last = rest.at(-1)!;
  return `M ${first!.x} ${first!.y} ${middles.join(' ')} L ${last.x} ${last.y}`;
}
