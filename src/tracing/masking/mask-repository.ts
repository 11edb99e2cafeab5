import type { Queryable } from '../../platform/db/database.ts';
import type { MaskRule } from './mask-rules.ts';

export async function findMaskRules(db: Queryable, tenantId: string): Promise<MaskRule[]> {
  const { rows } = await db.query<{ rules: MaskRule[] }>(
    { name: 'tracing-find-masks', text: 'select rules from tracing.mask where tenant_id = $1' },
    [tenantId],
  );
  return rows[0]?.rules ?? [];
}

/** Replaces all rules. */
export async function saveMaskRules(db: Queryable, tenantId: string, rules: MaskRule[]): Promise<void> {
  await db.query(
    `insert into tracing.mask (tenant_id, rules) values ($1, $2)
     on conflict (tenant_id) do update set rules = excluded.rules`,
    [tenantId, JSON.stringify(rules)],
  );
}
