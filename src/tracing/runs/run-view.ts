import type { Queryable } from '../../platform/db/database.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { attachmentsOfRuns } from '../bodies/attachments.ts';
import { attachmentUrls, type BlobLink } from '../bodies/blob-links.ts';
import { readBodies } from '../bodies/block-reader.ts';
import { feedbackStatsOf } from '../feedback/feedback-stats.ts';
import { BODY_COLUMNS, type BodyColumn } from '../ingest/run-columns.ts';
import { joinExtra } from '../ingest/run-metadata.ts';
import { shareTokensOf } from '../shares/share-repository.ts';
import type { RunRow } from './run-row.ts';

export type RunView = JsonObject & { id: string };

/** JSON that is passed on as it was stored. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const PASSED_ON: ReadonlySet<BodyColumn> = new Set(['inputs', 'outputs', 'events', 'serialized']);

export interface ViewOptions {
  /** Other bodies are left out, and not read. */
  bodies?: readonly BodyColumn[];
  /** Bodies come as RawJson: a large page is written without being parsed. */
  raw?: boolean;
  /** Whether to say what was said of them. */
  feedback?: boolean;
  /** How what is attached is linked to; it is left out where nobody says. */
  link?: BlobLink;
}

/** Runs as clients read them (contract §1.10). */
export async function viewRuns(
  db: Queryable,
  tenantId: string,
  rows: RunRow[],
  { bodies: wanted = BODY_COLUMNS, raw = false, feedback = true, link }: ViewOptions = {},
): Promise<RunView[]> {
  const places = rows.flatMap((row) => wanted.flatMap((column) => row[column] ?? []));
  const ids = rows.map(({ id }) => id);
  const [bodies, stats, attached, tokens] = await Promise.all([
    readBodies(db, tenantId, places),
    feedbackStatsOf(db, tenantId, feedback ? ids : []),
    attachmentsOfRuns(db, tenantId, link ? ids : []),
    shareTokensOf(db, tenantId, ids),
  ]);
  const bodyOf = (row: RunRow, column: BodyColumn): unknown => {
    const bytes = row[column] === null ? undefined : bodies.get(row[column]);
    const text = bytes?.toString('utf8');
    if (text === undefined) return undefined;
    return raw && PASSED_ON.has(column) ? new RawJson(text) : (JSON.parse(text) as unknown);
  };
  return rows.map((row) => ({
    ...viewRun(row, (column) => (wanted.includes(column) ? bodyOf(row, column) : undefined)),
    feedback_stats: stats.get(row.id) ?? {},
    s3_urls: link ? attachmentUrls(link, tenantId, attached.get(row.id)) : {},
    share_token: tokens.get(row.id) ?? null,
  }));
}

function viewRun(row: RunRow, bodyOf: (column: BodyColumn) => unknown): RunView {
  const ancestors = row.dotted_order
    .split('.')
    .slice(0, -1)
    .map((segment) => segment.slice(-36));
  const { usage, project_id, ...columns } = row;
  return {
    ...columns,
    name: row.name ?? 'Unnamed',
    run_type: row.run_type ?? 'chain',
    session_id: project_id,
    app_path: `/projects/${project_id}/runs/${row.id}`,
    inputs: bodyOf('inputs') ?? {},
    outputs: bodyOf('outputs') ?? null,
    events: bodyOf('events') ?? [],
    serialized: bodyOf('serialized') ?? null,
    extra: joinExtra(row.metadata, bodyOf('extra')),
    parent_run_ids: ancestors,
    child_run_ids: null,
    direct_child_run_ids: null,
    execution_order: 1,
    tags: row.tags ?? [],
    prompt_token_details: usage?.['prompt_token_details'] ?? null,
    completion_token_details: usage?.['completion_token_details'] ?? null,
    prompt_cost_details: usage?.['prompt_cost_details'] ?? null,
    completion_cost_details: usage?.['completion_cost_details'] ?? null,
    price_model_id: usage?.['price_model_id'] ?? null,
    usage_estimated: usage?.['estimated'] === true,
    manifest_id: null,
    reference_dataset_id: null,
    in_dataset: false,
    trace_tier: null,
    last_queued_at: null,
  };
}

/** JSON text of a run, with bodies as they were stored. */
export const runJson = (view: JsonObject): string =>
  `{${Object.entries(view)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${JSON.stringify(key)}:${value instanceof RawJson ? value.text : JSON.stringify(value)}`,
    )
    .join()}}`;
