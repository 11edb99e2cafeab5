import type { Queryable } from '../../platform/db/database.ts';

interface Node {
  id: string;
  trace_id: string;
  parent_run_id: string | null;
  dotted_order: string;
}

type Named = Pick<Node, 'id' | 'trace_id'>;

interface Below {
  child_run_ids: string[];
  direct_child_run_ids: string[];
}

/** Ids of all descendants of each run, depth first, and of its children. */
export async function childIdsOf(
  db: Queryable,
  tenantId: string,
  runs: Named[],
): Promise<(run: Named) => Below> {
  // Sorts by bytes, so that descendants directly follow their ancestor.
  const { rows } = await db.query<Node>(
    `select id, trace_id, parent_run_id, dotted_order from tracing.run
     where tenant_id = $1 and trace_id = any($2::uuid[]) order by trace_id, dotted_order collate "C"`,
    [tenantId, [...new Set(runs.map(({ trace_id }) => trace_id))]],
  );
  const ranges = rangesBelow(rows);
  return ({ id, trace_id }) => {
    const nodes = rows.slice(...(ranges.get(`${trace_id} ${id}`) ?? [0, 0]));
    return {
      child_run_ids: nodes.map((node) => node.id),
      direct_child_run_ids: nodes.filter(({ parent_run_id }) => parent_run_id === id).map((node) => node.id),
    };
  };
}

const isBelow = (node: Node, above: Node): boolean =>
  node.trace_id === above.trace_id && node.dotted_order.startsWith(`${above.dotted_order}.`);

/** Index ranges of the descendants of each run, by trace and run id. */
function rangesBelow(nodes: Node[]): Map<string, [from: number, to: number]> {
  const ranges = new Map<string, [number, number]>();
  const path: Node[] = [];
  for (const [at, node] of nodes.entries()) {
    while (path.length > 0 && !isBelow(node, path.at(-1)!)) path.pop();
    for (const { trace_id, id } of path) ranges.get(`${trace_id} ${id}`)![1] = at + 1;
    path.push(node);
    ranges.set(`${node.trace_id} ${node.id}`, [at + 1, at + 1]);
  }
  return ranges;
}
