import type { Queryable } from '../../platform/db/database.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { readInPortions } from '../bodies/block-reader.ts';
import { SEGMENT_LENGTH } from '../runs/dotted-order.ts';
import { BODY_COLUMNS, type BodyColumn } from '../runs/run-columns.ts';
import { sliceJson, textOfSlice } from '../json/json-slices.ts';
import { hasReplaced, restoreTexts, type RowTexts, withoutTexts } from '../runs/exact-texts.ts';
import { mergeExtras } from '../runs/extra-parts.ts';
import { isExact } from '../json/loose-json.ts';
import { joinExtra, joinExtraText } from '../runs/run-metadata.ts';
import { type RelatedData, type RelatedDataOptions, readRelatedData } from './related-data.ts';
import { shownPreview, locationsToRead } from './shown-preview.ts';
import { locationsOf, type RunRow } from '../runs/run-row.ts';

export type RunView = JsonObject & { id: string };

/** JSON text passed through without parsing. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const PASSED_ON: ReadonlySet<BodyColumn> = new Set(['inputs', 'outputs', 'events', 'serialized']);

export interface ViewOptions extends RelatedDataOptions {
  /** Bodies to read; others are left out. */
  bodies?: readonly BodyColumn[];
  /** Returns bodies as RawJson, so that large pages are never parsed. */
  raw?: boolean;
}

/** Runs as clients read them (contract §1.10). */
export async function viewRuns(
  db: Queryable,
  tenantId: string,
  rows: RunRow[],
  options: ViewOptions = {},
): Promise<RunView[]> {
  const views: RunView[] = [];
  for await (const some of viewInPortions(db, tenantId, rows, options)) views.push(...some);
  return views;
}

/** Like viewRuns for many runs, in portions that fit in memory. */
export async function* viewInPortions(
  db: Queryable,
  tenantId: string,
  rows: RunRow[],
  { bodies: wanted = BODY_COLUMNS, raw = false, ...options }: ViewOptions = {},
): AsyncGenerator<RunView[], void, undefined> {
  const related = await readRelatedData(db, tenantId, rows, options);
  for await (const { rows: some, bodies } of readInPortions(db, tenantId, rows, (row) =>
    locationsToRead(row, wanted),
  ))
    yield some.map((row) => viewRun(row, related(row), { wanted, bodies, raw }));
}

interface ReadBodies {
  wanted: readonly BodyColumn[];
  /** By location. */
  bodies: Map<string, Buffer>;
  raw: boolean;
}

function bodyOf(row: RunRow, column: BodyColumn, { wanted, bodies, raw }: ReadBodies): unknown {
  const location = row[column];
  if (location === null || !wanted.includes(column)) return undefined;
  const text = bodies.get(location)?.toString('utf8');
  if (text === undefined) return undefined;
  return raw && PASSED_ON.has(column) ? new RawJson(text) : (JSON.parse(text) as unknown);
}

function storedExtra(row: RunRow, { bodies }: ReadBodies): Buffer | undefined {
  const parts = locationsOf(row, 'extra').flatMap((location) => bodies.get(location) ?? []);
  return parts.length > 0 ? mergeExtras(parts) : undefined;
}

/** Original name, error and tags. */
function textsOf(row: RunRow, read: ReadBodies): RowTexts {
  const stored = hasReplaced(row) ? storedExtra(row, read) : undefined;
  return stored ? restoreTexts(row, JSON.parse(stored.toString('utf8'))) : row;
}

/** Combines the row's metadata with the rest, which is in the body of extra. */
function extraOf(row: RunRow, read: ReadBodies): JsonObject | RawJson {
  if (!read.wanted.includes('extra')) return joinExtra(row.metadata, undefined);
  const stored = storedExtra(row, read);
  if (!stored) return joinExtra(row.metadata, undefined);
  const text = withoutTexts(stored).toString('utf8');
  const rest: unknown = JSON.parse(text);
  return read.raw && !isExact(rest)
    ? new RawJson(joinExtraText(row.metadata, text))
    : joinExtra(row.metadata, rest);
}

/** The metadata within an extra. */
export function metadataOf(extra: JsonObject | RawJson | undefined): unknown {
  if (!(extra instanceof RawJson)) return extra?.['metadata'] ?? {};
  const text = Buffer.from(extra.text);
  return new RawJson(String(textOfSlice(text, sliceJson(text, 1).members!.get('metadata')!)));
}

/** UTC without a zone, as the hosted service writes it: Python clients subtract naive times from it. */
const naiveUtc = (time: string | null): string | null => time?.replace('+00:00', '') ?? null;

// Assigns each field by name: object spreads are ten times slower, and a trace has thousands of runs.
export function viewRun(row: RunRow, related: RelatedData, read: ReadBodies): RunView {
  const { usage, project_id } = row;
  const extra = extraOf(row, read);
  const { name, error, tags } = textsOf(row, read);
  return {
    id: row.id,
    name: name ?? 'Unnamed',
    run_type: row.run_type ?? 'chain',
    start_time: naiveUtc(row.start_time),
    end_time: naiveUtc(row.end_time),
    status: row.status,
    error,
    trace_id: row.trace_id,
    session_id: project_id,
    app_path: appPath(row),
    dotted_order: shownOrder(row),
    parent_run_id: row.parent_run_id,
    parent_run_ids: ancestorsOf(row.dotted_order),
    orphan_of: row.orphan_of,
    child_run_ids: related.child_run_ids,
    direct_child_run_ids: related.direct_child_run_ids,
    first_token_time: naiveUtc(row.first_token_time),
    execution_order: 1,
    inputs: bodyOf(row, 'inputs', read) ?? {},
    outputs: bodyOf(row, 'outputs', read) ?? null,
    events: bodyOf(row, 'events', read) ?? [],
    serialized: bodyOf(row, 'serialized', read) ?? null,
    extra,
    inputs_preview: shownPreview(row, 'inputs', read.bodies),
    outputs_preview: shownPreview(row, 'outputs', read.bodies),
    tags: tags ?? [],
    metadata: row.metadata && metadataOf(extra),
    thread_id: row.thread_id,
    reference_example_id: row.reference_example_id,
    reference_dataset_id: null,
    in_dataset: false,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    total_tokens: row.total_tokens,
    prompt_cost: row.prompt_cost,
    completion_cost: row.completion_cost,
    total_cost: row.total_cost,
    prompt_token_details: usage?.['prompt_token_details'] ?? null,
    completion_token_details: usage?.['completion_token_details'] ?? null,
    prompt_cost_details: usage?.['prompt_cost_details'] ?? null,
    completion_cost_details: usage?.['completion_cost_details'] ?? null,
    price_model_id: usage?.['price_model_id'] ?? null,
    usage_estimated: usage?.['estimated'] === true,
    manifest_id: null,
    trace_tier: related.trace_tier,
    trace_upgrade: related.trace_upgrade,
    last_queued_at: null,
    inserted_at: naiveUtc(row.inserted_at),
    updated_at: naiveUtc(row.updated_at),
    feedback_stats: related.feedback_stats,
    s3_urls: related.s3_urls,
    share_token: related.share_token,
  };
}

/** Null while the parent is missing, because a single segment would mark a root. */
const shownOrder = ({ parent_run_id, dotted_order }: RunRow): string | null =>
  parent_run_id !== null && dotted_order.length === SEGMENT_LENGTH ? null : dotted_order;

/** Ids of the ancestors, root first. */
function ancestorsOf(dottedOrder: string): string[] {
  const ids: string[] = [];
  for (let end = SEGMENT_LENGTH; end < dottedOrder.length; end += SEGMENT_LENGTH + 1)
    ids.push(dottedOrder.slice(end - 36, end));
  return ids;
}

// Skips JSON.stringify for null, by far the most common value.
export const jsonOf = (value: unknown): string =>
  value === null ? 'null' : value instanceof RawJson ? value.text : JSON.stringify(value);

/** JSON text of a run with bodies as stored. Field names need no escaping. */
export function runJson(view: JsonObject): string {
  let text = '';
  for (const name in view) {
    const value = view[name];
    if (value === undefined) continue;
    text += `${text && ','}"${name}":${jsonOf(value)}`;
  }
  return `{${text}}`;
}

/** Path of a run in the console. */
export const appPath = ({ project_id, id }: Pick<RunRow, 'project_id' | 'id'>): string =>
  `/projects/${project_id}/runs/${id}`;
