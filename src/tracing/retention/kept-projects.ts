import type { Queryable } from '../../platform/db/database.ts';

/** How long the runs of one project are kept. */
export interface Kept {
  tenant_id: string;
  project_id: string;
  /** What began before is to go; ISO 8601. */
  before: string;
}

// Days of the two tiers a project may name instead of days of its own.
const TIER_DAYS = { shortlived: 14, longlived: 400 };

/** Of each project what its runs must be younger than: its own days, those of its tier, or the platform's. */
export async function listKept(db: Queryable, days: number): Promise<Kept[]> {
  const { rows } = await db.query<Kept>(
    `select tenant_id, id as project_id, now() - make_interval(days =>
       coalesce(retention_days, case trace_tier when 'shortlived' then $1::int when 'longlived' then $2::int end, $3::int)) as before
     from tracing.project`,
    [TIER_DAYS.shortlived, TIER_DAYS.longlived, days],
  );
  return rows;
}
