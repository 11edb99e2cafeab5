import { isUuid } from '../../../platform/ids.ts';
import { readTime } from '../../runs/run-time.ts';
import type { Scalar } from './filter-expression.ts';

export type FieldType = 'text' | 'uuid' | 'number' | 'boolean' | 'time' | 'duration';

/** A filterable column of runs (contract §1.11). */
export interface RunField {
  type: FieldType;
  /** SQL of the value for the table alias `r`. */
  sql(r: string): string;
}

const column = (type: FieldType, name: string): RunField => ({ type, sql: (r) => `${r}.${name}` });
const seconds = (until: string): RunField => ({
  type: 'duration',
  sql: (r) => `extract(epoch from ${r}.${until} - ${r}.start_time)`,
});

const named = (type: FieldType, ...names: string[]): [string, RunField][] =>
  names.map((name) => [name, column(type, name)]);

export const RUN_FIELDS: ReadonlyMap<string, RunField> = new Map([
  ...named('uuid', 'id', 'trace_id', 'parent_run_id', 'reference_example_id'),
  ...named('text', 'name', 'run_type', 'status', 'error', 'thread_id', 'dotted_order'),
  ...named('time', 'start_time', 'end_time', 'first_token_time', 'inserted_at'),
  ...named('number', 'prompt_tokens', 'completion_tokens', 'total_tokens'),
  ...named('number', 'prompt_cost', 'completion_cost', 'total_cost'),
  ['session_id', column('uuid', 'project_id')],
  ['session', column('uuid', 'project_id')],
  ['latency', seconds('end_time')],
  ['time_to_first_token', seconds('first_token_time')],
  ['first_token', seconds('first_token_time')],
  ['is_root', { type: 'boolean', sql: (r) => `(${r}.parent_run_id is null)` }],
  ['execution_order', { type: 'number', sql: () => '1' }],
]);

/** SQL type of parameters by field type. */
export const CASTS: Record<FieldType, string> = {
  text: 'text',
  uuid: 'uuid',
  number: 'numeric',
  boolean: 'boolean',
  time: 'timestamptz',
  duration: 'numeric',
};

const DURATION = /^\s*(-?\d{1,15}(?:\.\d{1,9})?)\s*(us|ms|s|m|h|d)?\s*$/;
const UNITS: Record<string, number> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3_600, d: 86_400 };
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Converts a value to a parameter of this type; undefined if invalid. */
export function readValue(type: FieldType, value: Scalar): string | number | boolean | undefined {
  switch (type) {
    case 'text':
      return String(value);
    case 'uuid':
      return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : ({ true: true, false: false } as const)[String(value)];
    case 'time':
      return readTime(typeof value === 'string' && DAY.test(value) ? `${value}T00:00` : value);
    case 'duration':
    case 'number': {
      if (typeof value === 'number') return value;
      const [, digits, unit] = DURATION.exec(typeof value === 'string' ? value : '') ?? [];
      if (!digits || (unit && type === 'number')) return undefined;
      return Number((Number(digits) * (UNITS[unit ?? 's'] ?? 1)).toPrecision(12));
    }
  }
}
