import type { BuildPriority } from '../../../workflows/deployments/contracts.ts';
import type { Queryable } from '../../platform/db/database.ts';

const LAST = 5;

/** The more builds a tenant has under way, the later its next one starts. */
export async function buildPriority(db: Queryable, revisionId: string): Promise<BuildPriority> {
  const { rows } = await db.query<{ tenant_id: string; others: number }>(
    `select d.tenant_id, (
       select count(*) from control_plane.revision other join control_plane.deployment of on of.id = other.deployment_id
       where of.tenant_id = d.tenant_id and other.id <> r.id and other.status in ('AWAITING_BUILD', 'BUILDING')
     ) as others
     from control_plane.revision r join control_plane.deployment d on d.id = r.deployment_id where r.id = $1`,
    [revisionId],
  );
  const { tenant_id, others } = rows[0]!;
  return { tenant_id, level: Math.min(1 + others, LAST) };
}
