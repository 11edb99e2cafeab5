import type { Queryable } from '../../platform/db/database.ts';

/** Retention of one project's runs. */
export interface ProjectRetention {
  tenant_id: string;
  project_id: string;
  /** Runs that started before this expire; ISO 8601. */
  before: string;
  /** The same for traces with extended retention. */
  kept_before: string;
}

/** Retention in days. */
export interface RetentionDays {
  /** Default for projects without their own. */
  days: number;
  /** For the long tier and for traces with feedback. */
  longDays: number;
}

/** Retention of the short tier. */
export const SHORT_DAYS = 14;

/** Retention of every project: its own, that of its tier, or the platform's default. */
export async function listRetention(
  db: Queryable,
  { days, longDays }: RetentionDays,
): Promise<ProjectRetention[]> {
  const { rows } = await db.query<ProjectRetention>(
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
