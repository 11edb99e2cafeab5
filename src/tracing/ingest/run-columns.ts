/**
 * What a client says of a run, column by column (contract §1.10). A column's place is its bit in `patched`: only ever
 * add at the end.
 */
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

/** Of which a run has a body: JSON text, kept apart from its row. */
export const BODY_COLUMNS = ['inputs', 'outputs', 'events', 'extra', 'serialized'] as const;
export type BodyColumn = (typeof BODY_COLUMNS)[number];

/** The bodies that searches go through. */
export const SEARCHED_COLUMNS: ReadonlySet<string> = new Set<BodyColumn>(['inputs', 'outputs']);

/** Columns of which the first value stays: they say where the run is. */
export const PLACE_COLUMNS = { trace_id: 'uuid', parent_run_id: 'uuid', dotted_order: 'text' } as const;
