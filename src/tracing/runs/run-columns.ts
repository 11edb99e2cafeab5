/** Client-provided columns of a run (contract §1.10). A column's position is its bit in `patched`: only append. */
export const RUN_COLUMNS = {
  name: 'text',
  run_type: 'text',
  end_time: 'timestamptz',
  first_token_time: 'timestamptz',
  error: 'text',
  thread_id: 'text',
  reference_example_id: 'uuid',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  total_tokens: 'bigint',
  prompt_cost: 'numeric',
  completion_cost: 'numeric',
  total_cost: 'numeric',
  usage: 'jsonb',
  inputs_preview: 'text',
  outputs_preview: 'text',
  inputs: 'bigint',
  outputs: 'bigint',
  events: 'bigint',
  extra: 'bigint',
  serialized: 'bigint',
} as const;
export type RunColumn = keyof typeof RUN_COLUMNS;

const BITS = new Map((Object.keys(RUN_COLUMNS) as RunColumn[]).map((column, index) => [column, 2 ** index]));
export const bitOf = (column: RunColumn): number => BITS.get(column)!;

/** Bodies of a run: JSON text stored apart from its row. */
export const BODY_COLUMNS = ['inputs', 'outputs', 'events', 'extra', 'serialized'] as const;
export type BodyColumn = (typeof BODY_COLUMNS)[number];

/** Bodies covered by full-text search. */
export const SEARCHED_COLUMNS: ReadonlySet<string> = new Set<BodyColumn>(['inputs', 'outputs']);

/** Columns that keep their first value, because they position the run in its trace. */
export const POSITION_COLUMNS = { trace_id: 'uuid', parent_run_id: 'uuid', dotted_order: 'text' } as const;
