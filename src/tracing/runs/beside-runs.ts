import type { Queryable } from '../../platform/db/database.ts';
import { attachmentsOfRuns } from '../bodies/attachments.ts';
import { attachmentUrls, type BlobLink } from '../bodies/blob-links.ts';
import { feedbackStatsOf } from '../feedback/feedback-stats.ts';
import { childIdsOf } from '../query/child-ids.ts';
import { traceTiers, type TraceTier } from '../retention/trace-tiers.ts';
import { shareTokensOf } from '../shares/share-repository.ts';
import type { RunRow } from './run-row.ts';

export interface BesideAsked {
  /** Whether to say what was said of them. */
  feedback?: boolean;
  /** Whether to say by which tokens they are shared. */
  shares?: boolean;
  /** Whether to say which runs are below them. */
  childIds?: boolean;
  /** Whether to say how long they are kept. */
  tiers?: boolean;
  /** How what is attached is linked to; it is left out where nobody says. */
  link?: BlobLink | undefined;
}

/** What is told of a run and stands in other rows than its own (contract §1.10). */
export interface Beside extends TraceTier {
  feedback_stats: object;
  s3_urls: object;
  share_token: string | null;
  child_run_ids: string[] | null;
  direct_child_run_ids: string[] | null;
}

const NONE = { child_run_ids: null, direct_child_run_ids: null };

/** Reads it for all of these runs at once; what is returned tells it of one of them. */
export async function readBeside(
  db: Queryable,
  tenantId: string,
  rows: RunRow[],
  { feedback = true, shares = true, tiers = false, childIds = false, link }: BesideAsked,
): Promise<(row: RunRow) => Beside> {
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
