import { dottedSegment, SEGMENT_LENGTH } from '../runs/dotted-order.ts';
import type { FoldedRun } from './folded-run.ts';

// Limits the length of dotted orders, which are indexed. Deeper runs become siblings.
const MAX_LEVELS = 100;
const MAX_LENGTH = (MAX_LEVELS - 1) * (SEGMENT_LENGTH + 1) - 1;

export interface Located {
  run: FoldedRun;
  start_time: string;
}

export interface Ordered {
  trace_id: string;
  dotted_order: string;
}

/**
 * Positions of runs in their traces by id (contract §1.4). Missing positions are derived from parents in the batch. A
 * child without its parent gets only its own segment until the parent arrives.
 */
export function orderRuns(located: Located[]): Map<string, Ordered> {
  const byId = new Map(located.map((one) => [one.run.id, one]));
  const ordered = new Map<string, Ordered>();
  for (const one of located) {
    // Iterates instead of recursing, because traces can be deeper than the stack.
    const path: Located[] = [];
    const seen = new Set<string>();
    let at: Located | undefined = one;
    while (at && !ordered.has(at.run.id) && !seen.has(at.run.id)) {
      path.push(at);
      seen.add(at.run.id);
      at = at.run.position.dotted_order ? undefined : parentOf(at, byId);
    }
    for (const { run, start_time } of path.toReversed()) {
      const { position, id } = run;
      const parent = position.dotted_order ? undefined : parentOf({ run, start_time }, byId);
      const above = parent && ordered.get(parent.run.id);
      const segment = dottedSegment(start_time, id);
      ordered.set(id, {
        trace_id: position.trace_id ?? above?.trace_id ?? id,
        dotted_order:
          position.dotted_order ??
          (above ? `${above.dotted_order.slice(0, MAX_LENGTH)}.${segment}` : segment),
      });
    }
  }
  return ordered;
}

/** The parent, if it is in the same trace or the run names no trace. */
function parentOf({ run: { id, position } }: Located, byId: Map<string, Located>): Located | undefined {
  const parent = position.parent_run_id === id ? undefined : byId.get(position.parent_run_id ?? '');
  if (!parent || position.trace_id === undefined) return parent;
  const { trace_id = parent.run.id } = parent.run.position;
  return trace_id === position.trace_id ? parent : undefined;
}
