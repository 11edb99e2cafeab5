import type { BodyTest, Condition } from './filter/condition.ts';

/** Which runs of a tenant are asked for; what is undefined matches all (contract §1.11). */
export interface RunQuery {
  tenant_id: string;
  /** Whatever else is asked, only these. */
  ids?: string[] | undefined;
  projects?: string[] | undefined;
  traces?: string[] | undefined;
  parent?: string | undefined;
  examples?: string[] | undefined;
  thread?: string | undefined;
  is_root?: boolean | undefined;
  run_type?: string | undefined;
  has_error?: boolean | undefined;
  /** ISO 8601; the first is part of the window, the second is not. */
  from?: string | undefined;
  until?: string | undefined;
  /** Of the run itself, of the root of its trace, of any run of its trace. */
  filter?: Condition | undefined;
  trace_filter?: Condition | undefined;
  tree_filter?: Condition | undefined;
}

/** Where a page ended: pages are told by place and not by number, for runs come while pages are read. */
export interface Place {
  start_time: string;
  id: string;
}

export interface PageAsked {
  order: 'asc' | 'desc';
  after?: Place | undefined;
  limit: number;
}

/** Tests that only bodies can tell. */
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
