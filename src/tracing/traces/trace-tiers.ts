import type { Queryable } from '../../platform/db/database.ts';
import { retainedTraces } from './retained-traces.ts';

export interface TraceTier {
  /** `longlived` for traces with extended retention, otherwise the project's tier or null. */
  trace_tier: string | null;
  /** Whether feedback extended the trace's retention. */
  trace_upgrade: boolean;
}

/** Returns a lookup of the retention tier (contract §1.10) of these runs. */
export async function traceTiers(
  db: Queryable,
  tenantId: string,
  runs: { trace_id: string; project_id: string }[],
): Promise<(run: { trace_id: string; project_id: string }) => TraceTier> {
  if (runs.length === 0) return () => ({ trace_tier: null, trace_upgrade: false });
  const [kept, { rows }] = await Promise.all([
    retainedTraces(
      db,
      tenantId,
      runs.map(({ trace_id }) => trace_id),
    ),
    db.query<{ id: string; trace_tier: string | null }>(
      {
        name: 'tracing-project-tiers',
        text: 'select id, trace_tier from tracing.project where tenant_id = $1 and id = any($2)',
      },
      [tenantId, [...new Set(runs.map(({ project_id }) => project_id))]],
    ),
  ]);
  const tiers = new Map(rows.map(({ id, trace_tier }) => [id, trace_tier]));
  return ({ trace_id, project_id }) =>
    kept.has(trace_id)
      ? { trace_tier: 'longlived', trace_upgrade: true }
      : { trace_tier: tiers.get(project_id) ?? null, trace_upgrade: false };
}
