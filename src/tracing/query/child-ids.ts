import type { Queryable } from '../../platform/db/database.ts';
import type { RunView } from '../runs/run-view.ts';

interface Node {
  id: string;
  trace_id: string;
  parent_run_id: string | null;
  dotted_order: string;
}

/** The runs with the ids of those below them: the next, and all, depth first. */
export async function withChildIds(db: Queryable, tenantId: string, views: RunView[]): Promise<RunView[]> {
  const traces = [...new Set(views.map((view) => view['trace_id']))];
  if (traces.length === 0) return views;
  const { rows } = await db.query<Node>(
    `select id, trace_id, parent_run_id, dotted_order from tracing.run
     where tenant_id = $1 and trace_id = any($2::uuid[]) order by dotted_order`,
    [tenantId, traces],
  );
  return views.map((view) => {
    const below = rows.filter(
      (node) =>
        node.trace_id === view['trace_id'] &&
        node.dotted_order.startsWith(`${String(view['dotted_order'])}.`),
    );
    return {
      ...view,
      child_run_ids: below.map(({ id }) => id),
      direct_child_run_ids: below.filter((node) => node.parent_run_id === view.id).map(({ id }) => id),
    };
  });
}
