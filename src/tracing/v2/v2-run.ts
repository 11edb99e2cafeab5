import type { JsonObject } from '../../platform/schema.ts';
import { metadataOf, type RunView } from '../query/run-view.ts';
import type { Select } from './v2-select.ts';

const ERROR_PREVIEW = 250;

/** A run in version 2 of the API: its id and the selected fields (contract §1.14). */
export function v2Run(view: RunView, selects: readonly Select[]): JsonObject {
  const run: JsonObject = { id: view.id };
  for (const select of selects) run[select.toLowerCase()] = valueOf(view, select);
  return run;
}

function valueOf(view: RunView, select: Select): unknown {
  const name = select.toLowerCase();
  switch (select) {
    case 'RUN_TYPE':
    case 'STATUS':
      return String(view[name]).toUpperCase();
    case 'START_TIME':
    case 'END_TIME':
    case 'FIRST_TOKEN_TIME':
      return zonedTime(view[name]);
    case 'LATENCY_SECONDS':
      return latencyOf(view);
    case 'ERROR_PREVIEW':
      return errorPreview(view);
    case 'METADATA':
      return metadataOf(view['extra'] as JsonObject);
    case 'MANIFEST':
      return view['serialized'] ?? null;
    case 'PROJECT_ID':
      return view['session_id'];
    case 'IS_ROOT':
      return view['parent_run_id'] === null;
    case 'IS_IN_DATASET':
      return view['in_dataset'] ?? false;
    case 'ATTACHMENTS':
      return attachmentsOf(view);
    case 'TOTAL_COST':
    case 'PROMPT_COST':
    case 'COMPLETION_COST':
      return numberOf(view[name]);
    case 'PROMPT_TOKEN_DETAILS':
    case 'COMPLETION_TOKEN_DETAILS':
    case 'PROMPT_COST_DETAILS':
    case 'COMPLETION_COST_DETAILS':
      return detailsOf(view[name]);
    default:
      return view[name] ?? null;
  }
}

/** Adds the offset, because clients of version 2 require RFC 3339. */
const zonedTime = (time: unknown): string | null => (typeof time === 'string' ? `${time}+00:00` : null);

/** Seconds; null while the run is in progress. */
export function latencyOf(view: RunView): number | null {
  const [start, end] = [view['start_time'], view['end_time']].map(zonedTime);
  return start && end ? (Date.parse(end) - Date.parse(start)) / 1000 : null;
}

export const errorPreview = (view: RunView): string | null =>
  typeof view['error'] === 'string' ? view['error'].slice(0, ERROR_PREVIEW) : null;

export const numberOf = (value: unknown): number | null => (value == null ? null : Number(value));

/** Numbers by category. */
export const detailsOf = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null
    ? { raw: Object.fromEntries(Object.entries(value).map(([key, item]) => [key, Number(item)])) }
    : null;

/** Links to attachments by name. */
const attachmentsOf = (view: RunView): JsonObject =>
  Object.fromEntries(
    Object.entries((view['s3_urls'] ?? {}) as Record<string, { presigned_url?: string }>).map(
      ([name, { presigned_url }]) => [name.replace(/^attachment\./, ''), presigned_url],
    ),
  );
