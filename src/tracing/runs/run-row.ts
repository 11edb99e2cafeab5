import type { JsonObject } from '../../platform/schema.ts';
import { BODY_COLUMNS, type BodyColumn } from './run-columns.ts';

/** A stored run without `patched`. Bodies are locations (see src/tracing/bodies). */
export interface RunRow extends BodyLocations {
  id: string;
  start_time: string;
  project_id: string;
  trace_id: string;
  parent_run_id: string | null;
  /** A parent that has not arrived. The run is a root until it does. */
  orphan_of: string | null;
  dotted_order: string;
  name: string | null;
  run_type: string | null;
  end_time: string | null;
  first_token_time: string | null;
  error: string | null;
  status: 'pending' | 'success' | 'error';
  tags: string[] | null;
  metadata: JsonObject | null;
  thread_id: string | null;
  reference_example_id: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  prompt_cost: string | null;
  completion_cost: string | null;
  total_cost: string | null;
  usage: JsonObject | null;
  inputs_preview: string | null;
  outputs_preview: string | null;
  inserted_at: string;
  updated_at: string;
}

/** Locations of a run's bodies (see src/tracing/bodies). */
export interface BodyLocations extends Record<BodyColumn, string | null> {
  /** Earlier parts of `extra`, lowest precedence first. */
  extra_before: string[] | null;
}

const locationColumn = (column: BodyColumn) => `r.${column}::text`;
const EXTRA_BEFORE = 'r.extra_before::text[]';

/** Columns of BodyLocations; the table alias is `r`. */
export const BODY_LOCATIONS = [...BODY_COLUMNS.map(locationColumn), EXTRA_BEFORE].join(', ');

/** Columns of RunRow; the table alias is `r`. */
export const RUN_ROW = `r.id, r.start_time, r.project_id, r.trace_id, r.parent_run_id, r.orphan_of, r.dotted_order, r.name, r.run_type,
  r.end_time, r.first_token_time, r.error, r.status, r.tags, r.metadata, r.thread_id, r.reference_example_id,
  r.prompt_tokens, r.completion_tokens, r.total_tokens, r.prompt_cost::text, r.completion_cost::text, r.total_cost::text,
  r.usage, r.inputs_preview, r.outputs_preview, r.inserted_at, r.updated_at, ${BODY_LOCATIONS}`;

/** All body locations of the run. */
export const allLocations = (row: BodyLocations): string[] =>
  BODY_COLUMNS.flatMap((column) => locationsOf(row, column));

export const locationsOf = (row: BodyLocations, column: BodyColumn): string[] =>
  row[column] === null ? [] : [...((column === 'extra' && row.extra_before) || []), row[column]];

// Costly columns and the fields derived from them.
const DERIVED_FIELDS: [column: string, type: string, names: string[]][] = [
  ['metadata', 'jsonb', ['metadata', 'extra', 'messages']],
  [
    'usage',
    'jsonb',
    'prompt_token_details completion_token_details prompt_cost_details completion_cost_details price_model_id usage_estimated'.split(
      ' ',
    ),
  ],
  ['tags', 'text[]', ['tags']],
  ['inputs_preview', 'text', ['inputs_preview']],
  ['outputs_preview', 'text', ['outputs_preview']],
  ['inserted_at', 'timestamptz', ['inserted_at']],
  ['updated_at', 'timestamptz', ['updated_at']],
];

/** Whether the preview may have to be computed from the body. */
const isPreviewed = (column: BodyColumn, shows: (name: string) => boolean = () => true): boolean =>
  (column === 'inputs' || column === 'outputs') && shows(`${column}_preview`);

/** RUN_ROW with null for columns and bodies that are not needed. */
export const runRow = (shows: ((name: string) => boolean) | undefined, bodies: BodyColumn[]): string =>
  // `extra` is always read, because it may hold texts that the row cannot.
  BODY_COLUMNS.filter(
    (column) => column !== 'extra' && !bodies.includes(column) && !isPreviewed(column, shows),
  ).reduce(
    (columns, column) => columns.replace(locationColumn(column), `null::text as ${column}`),
    DERIVED_FIELDS.filter(([, , names]) => shows && !names.some(shows)).reduce(
      (columns, [column, type]) => columns.replace(`r.${column},`, `null::${type} as ${column},`),
      RUN_ROW,
    ),
  );
