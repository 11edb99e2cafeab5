import type { Queryable } from '../../platform/db/database.ts';
import { attachmentsOfRuns } from '../bodies/attachments.ts';
import { attachmentUrls, type BlobLink } from '../bodies/blob-links.ts';
import { feedbackStatsOf } from '../feedback/feedback-stats.ts';
import { childIdsOf } from './child-ids.ts';
import { traceTiers, type TraceTier } from '../traces/trace-tiers.ts';
import { shareTokensOf } from '../traces/share-repository.ts';
import type { RunRow } from '../runs/run-row.ts';

export interface RelatedDataOptions {
  /** Whether to include feedback statistics. */
  feedback?: boolean;
  /** Whether to include share tokens. */
  shares?: boolean;
  /** Whether to include ids of descendants. */
  childIds?: boolean;
  /** Whether to include retention. */
  tiers?: boolean;
  /** Creates links to attachments, which are left out without it. */
  link?: BlobLink | undefined;
}

/** Fields of a run that come from other tables (contract §1.10). */
export interface RelatedData extends TraceTier {
  feedback_stats: object;
  s3_urls: object;
  share_token: string | null;
  child_run_ids: string[] | null;
  direct_child_run_ids: string[] | null;
}

const NONE = { child_run_ids: null, direct_child_run_ids: null };

/** Reads them for all runs at once and returns a lookup by run. */
export async function readRelatedData(
  db: Queryable,
  tenantId: string,
  rows: RunRow[],
  { feedback = true, shares = true, tiers = false, childIds = false, link }: RelatedDataOptions,
): Promise<(row: RunRow) => RelatedData> {
  const ids = feedback || shares || link ? rows.map(({ id }) => id) : [];
  const [stats, attached, tokens, tierOf, below] = await Promise.all([
    feedbackStatsOf(db, tenantId, feedback ? ids : []),
    attachmentsOfRuns(db, tenantId, link ? ids : []),
    shareTokensOf(db, tenantId, shares ? ids : []),
    traceTiers(db, tenantId, tiers ? rows : []),
    childIds ? childIdsOf(db, tenantId, rows) : undefined,
  ]);
  return (row) => ({
    feedback_stats: stats.get(row.id) ?? {},
    s3_urls: link ? attachmentUrls(link, tenantId, attached.get(row.id)) : {},
    share_token: tokens.get(row.id) ?? null,
    ...tierOf(row),
    ...(below?.(row) ?? NONE),
  });
}
