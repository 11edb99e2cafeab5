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

/**
 * Runs as clients read them (contract §1.10); bodies other than those asked for are left out, and what is attached too
 * where nobody says how links are made.
 */
export async function viewRuns(
  db: Queryable,
  tenantId: string,
  rows: RunRow[],
  wanted: readonly BodyColumn[] = BODY_COLUMNS,
  link?: BlobLink,
): Promise<RunView[]> {
  const places = rows.flatMap((row) => wanted.flatMap((column) => row[column] ?? []));
  const ids = rows.map(({ id }) => id);
  const [bodies, stats, attached, tokens] = await Promise.all([
    readBodies(db, tenantId, places),
    feedbackStatsOf(db, tenantId, ids),
    attachmentsOfRuns(db, tenantId, link ? ids : []),
    shareTokensOf(db, tenantId, ids),
  ]);
  const bodyOf = (row: RunRow, column: BodyColumn): unknown => {
    const bytes = row[column] === null ? undefined : bodies.get(row[column]);
    return bytes && (JSON.parse(bytes.toString('utf8')) as unknown);
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
    manifest_id: null,
    reference_dataset_id: null,
    in_dataset: false,
    trace_tier: null,
    last_queued_at: null,
  };
}
