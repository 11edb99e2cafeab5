import type { BodyTest, Condition } from './filter/condition.ts';

/** Selects runs of a tenant. Undefined fields match everything (contract §1.11). */
export interface RunQuery {
  tenant_id: string;
  /** Overrides all other conditions. */
  ids?: string[] | undefined;
  projects?: string[] | undefined;
  traces?: string[] | undefined;
  parent?: string | undefined;
  examples?: string[] | undefined;
  thread?: string | undefined;
  is_root?: boolean | undefined;
  run_type?: string | undefined;
  has_error?: boolean | undefined;
  /** ISO 8601; `from` is inclusive, `until` exclusive. */
  from?: string | undefined;
  until?: string | undefined;
  /** Filters on the run, on the root of its trace, and on any run of its trace. */
  filter?: Condition | undefined;
  trace_filter?: Condition | undefined;
  tree_filter?: Condition | undefined;
}

/** Last row of a page. Cursors stay valid while runs arrive, unlike offsets. */
export interface Cursor {
  start_time: string;
  id: string;
}

export interface PageRequest {
  order: 'asc' | 'desc';
  after?: Cursor | undefined;
  limit: number;
}

/** The tests that require bodies. */
export function bodyTests({ filter, trace_filter, tree_filter }: RunQuery): {
  own: BodyTest[];
  ofTrace: BodyTest[];
} {
  const collect = (condition: Condition | undefined): BodyTest[] => {
    if (!condition) return [];
    if ('all' in condition) return condition.all.flatMap(collect);
    if ('any' in condition) return condition.any.flatMap(collect);
    if ('not' in condition) return collect(condition.not);
    return 'body' in condition ? [condition.body] : [];
  };
  return { own: collect(filter), ofTrace: [...collect(trace_filter), ...collect(tree_filter)] };
}
