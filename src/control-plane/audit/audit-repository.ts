import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import type { Principal } from '../principal.ts';
import { type AuditRow, hashEntry } from './audit-chain.ts';

const COLUMNS = 'tenant_id, number, at, actor, action, target, detail, previous_hash, hash';
const PAGE = 1_000;

export interface Change {
  /** OpenAPI operation id. */
  action: string;
  /** Kind and id of the changed object: `deployment/<id>`. */
  target: string;
  /** The request, without secrets. */
  detail?: object;
}

/** Records a change in the transaction that makes it. Entries of a tenant are serialised by a lock: call it last. */
export async function recordChange(
  tx: Queryable,
  { tenant_id, name }: Pick<Principal, 'tenant_id' | 'name'>,
  { action, target, detail = {} }: Change,
): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`audit/${tenant_id}`]);
  const { rows } = await tx.query<Pick<AuditRow, 'number' | 'hash'>>(
    'select number, hash from control_plane.audit_entry where tenant_id = $1 order by number desc limit 1',
    [tenant_id],
  );
  const entry = {
    tenant_id,
    number: (rows[0]?.number ?? 0) + 1,
    at: new Date().toISOString(),
    actor: name,
    action,
    target,
    detail: JSON.stringify(detail),
    previous_hash: rows[0]?.hash ?? '',
  };
  await tx.query(
    `insert into control_plane.audit_entry (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [...Object.values(entry), hashEntry(entry)],
  );
}

export interface AuditFilter {
  limit: number;
  offset: number;
  action?: string | undefined;
  target?: string | undefined;
  actor?: string | undefined;
}

/** Newest first. */
export async function listChanges(
  db: Queryable,
  tenantId: string,
  { limit, offset, action, target, actor }: AuditFilter,
): Promise<AuditRow[]> {
  const where = new Where()
    .andEquals('tenant_id', tenantId)
    .andEquals('action', action)
    .andEquals('target', target)
    .andEquals('actor', actor);
  const { rows } = await db.query<AuditRow>(
    `select ${COLUMNS} from control_plane.audit_entry ${where.text} order by number desc
     limit ${where.bind(limit)} offset ${where.bind(offset)}`,
    where.values,
  );
  return rows;
}

/** All entries of a tenant, oldest first. */
export async function* readChanges(db: Queryable, tenantId: string): AsyncGenerator<AuditRow[]> {
  for (let after = 0; ;) {
    const { rows } = await db.query<AuditRow>(
      `select ${COLUMNS} from control_plane.audit_entry where tenant_id = $1 and number > $2
       order by number limit ${PAGE}`,
      [tenantId, after],
    );
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1)!.number;
  }
}
