import { StringEnum } from '../../platform/schema.ts';
import { BODY_COLUMNS, type BodyColumn } from '../runs/run-columns.ts';

/** Selectable fields of a run (contract §1.14). */
export const SELECTS = [
  'ID',
  'NAME',
  'RUN_TYPE',
  'STATUS',
  'START_TIME',
  'END_TIME',
  'LATENCY_SECONDS',
  'FIRST_TOKEN_TIME',
  'ERROR',
  'ERROR_PREVIEW',
  'EXTRA',
  'METADATA',
  'EVENTS',
  'INPUTS',
  'INPUTS_PREVIEW',
  'OUTPUTS',
  'OUTPUTS_PREVIEW',
  'MANIFEST',
  'PARENT_RUN_IDS',
  'PROJECT_ID',
  'TRACE_ID',
  'THREAD_ID',
  'DOTTED_ORDER',
  'IS_ROOT',
  'REFERENCE_EXAMPLE_ID',
  'REFERENCE_DATASET_ID',
  'TOTAL_TOKENS',
  'PROMPT_TOKENS',
  'COMPLETION_TOKENS',
  'TOTAL_COST',
  'PROMPT_COST',
  'COMPLETION_COST',
  'PROMPT_TOKEN_DETAILS',
  'COMPLETION_TOKEN_DETAILS',
  'PROMPT_COST_DETAILS',
  'COMPLETION_COST_DETAILS',
  'PRICE_MODEL_ID',
  'TAGS',
  'APP_PATH',
  'ATTACHMENTS',
  'THREAD_EVALUATION_TIME',
  'IS_IN_DATASET',
  'LAST_QUEUED_AT',
  'SHARE_URL',
  'FEEDBACK_STATS',
] as const;
export type Select = (typeof SELECTS)[number];
export const SelectName = StringEnum(SELECTS);

const COUNTED = /^(?:TOTAL|PROMPT|COMPLETION)_(?:TOKENS|COST|TOKEN_DETAILS|COST_DETAILS)$/;
const BODIES: Partial<Record<Select, BodyColumn>> = {
  INPUTS: 'inputs',
  OUTPUTS: 'outputs',
  EVENTS: 'events',
  EXTRA: 'extra',
  METADATA: 'extra',
  MANIFEST: 'serialized',
};

/** Data required to show these fields. */
export function neededFor(selects: readonly Select[]) {
  const bodies = new Set(selects.map((select) => BODIES[select]));
  return {
    bodies: BODY_COLUMNS.filter((column) => bodies.has(column)),
    totals: selects.some((select) => COUNTED.test(select)),
    childIds: false,
    feedback: selects.includes('FEEDBACK_STATS'),
    shares: selects.includes('SHARE_URL'),
    shows: (name: string) => (selects as readonly string[]).includes(name.toUpperCase()),
  };
}
