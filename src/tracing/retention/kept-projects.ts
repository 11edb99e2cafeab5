import type { Queryable } from '../../platform/db/database.ts';

/** How long the runs of one project are kept. */
export interface Kept {
  tenant_id: string;
  project_id: string;
  /** What began before is to go; ISO 8601. */
  before: string;
  /** The same for traces of which something was said. */
  kept_before: string;
}

/** Days that runs are kept. */
export interface RetentionDays {
  /** Where their project says nothing. */
  days: number;
  /** Those of the long tier, and of traces of which something was said. */
  longDays: number;
}

/** Days of the short tier. */
export const SHORT_DAYS = 14;

/** Of each project what its runs must be younger than: its own days, those of its tier, or the platform's. */
export async function listKept(db: Queryable, { days, longDays }: RetentionDays): Promise<Kept[]> {
  const { rows } = await db.query<Kept>(
    `select tenant_id, id as project_id, now() - make_interval(days => own.days) as before,
       now() - make_interval(days => greatest(own.days, long.days)) as kept_before
     from tracing.project
     cross join lateral (select coalesce(longlived_ttl_days, $2::int) as days) long
     cross join lateral (select coalesce(retention_days,
       case trace_tier when 'shortlived' then $1::int when 'longlived' then long.days end, $3::int) as days) own`,
    [SHORT_DAYS, longDays, days],
  );
  return rows;
}
