import { InvalidRequest } from '../../platform/errors.ts';
import { BODY_COLUMNS, type BodyColumn } from '../runs/run-columns.ts';
import { selectedMessages } from './selected-messages.ts';
import { jsonOf, runJson, type RunView } from './run-view.ts';

const ALWAYS = [
  'id',
  'name',
  'start_time',
  'run_type',
  'trace_id',
  'dotted_order',
  'session_id',
  'status',
  'app_path',
];

// Selectable fields (contract §1.11). Those without a value here are null.
const KNOWN = new Set([
  ...ALWAYS,
  ...BODY_COLUMNS,
  ...'end_time error inputs_preview outputs_preview parent_run_id parent_run_ids child_run_ids'.split(' '),
  ...'direct_child_run_ids manifest manifest_id manifest_s3_id reference_example_id reference_dataset_id'.split(
    ' ',
  ),
  ...'total_tokens prompt_tokens completion_tokens total_cost prompt_cost completion_cost'.split(' '),
  ...'prompt_token_details completion_token_details prompt_cost_details completion_cost_details'.split(' '),
  ...'price_model_id first_token_time last_queued_at feedback_stats tags in_dataset share_token'.split(' '),
  ...'trace_tier trace_first_received_at ttl_seconds trace_upgrade thread_id trace_min_max_start_time'.split(
    ' ',
  ),
  ...'trace_min_start_time trace_max_start_time messages inserted_at execution_order s3_urls metadata'.split(
    ' ',
  ),
  ...'inputs_s3_urls outputs_s3_urls inputs_or_signed_url outputs_or_signed_url'.split(' '),
  ...'events_or_signed_url extra_or_signed_url serialized_or_signed_url s3_urls_or_signed_urls'.split(' '),
]);

// Fields missing from the Python client's default selection although its runs have them. Returned with the fields
// they belong to.
const ANSWERED_WITH: Record<string, string[]> = {
  prompt_tokens: ['prompt_token_details'],
  completion_tokens: ['completion_token_details'],
  prompt_cost: ['prompt_cost_details'],
  completion_cost: ['completion_cost_details'],
  inputs: ['s3_urls'],
  reference_example_id: ['in_dataset'],
};

// Other fields derived from a body.
const DERIVED_FIELDS: Partial<Record<BodyColumn, string[]>> = {
  extra: ['metadata'],
  inputs: ['messages'],
  outputs: ['messages'],
};

export interface Selection {
  bodies: BodyColumn[];
  /** Whether a field is selected; true for all without a selection. */
  has(name: string): boolean;
  json(view: RunView): string;
}

/** Parses a selection. Throws InvalidRequest for unknown fields. */
export function readSelect(select: string[] | undefined): Selection {
  if (!select) return { bodies: [...BODY_COLUMNS], has: () => true, json: runJson };
  const unknown = select.find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw new InvalidRequest(`body.select has no field ${unknown.slice(0, 60)}`);
  const names = new Set([...ALWAYS, ...select.flatMap((name) => [name, ...(ANSWERED_WITH[name] ?? [])])]);
  if (names.delete('trace_min_max_start_time')) names.add('trace_min_start_time').add('trace_max_start_time');
  const isNeeded = (column: BodyColumn) =>
    names.has(column) ||
    names.has(`${column}_or_signed_url`) ||
    DERIVED_FIELDS[column]?.some((name) => names.has(name));
  const shown = [...names].map((name) => [name, name.replace(/_or_signed_urls?$/, '')] as const);
  return {
    bodies: BODY_COLUMNS.filter(isNeeded),
    has: (name) => names.has(name),
    json: (view) => {
      let text = '';
      for (const [name, source] of shown)
        text += `${text && ','}"${name}":${jsonOf(name === 'messages' ? selectedMessages(view) : (view[source] ?? null))}`;
      return `{${text}}`;
    },
  };
}
