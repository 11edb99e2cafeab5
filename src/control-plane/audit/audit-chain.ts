import { createHash } from 'node:crypto';

/** An entry of the audit log, as stored. */
export interface AuditRow {
  tenant_id: string;
  /** Consecutive, from 1. */
  number: number;
  /** ISO 8601, UTC. */
  at: string;
  actor: string;
  action: string;
  target: string;
  /** JSON text of the request, without secrets. */
  detail: string;
  /** Hash of the previous entry; empty for the first. */
  previous_hash: string;
  hash: string;
}

export type Unhashed = Omit<AuditRow, 'hash'>;

/** Hex SHA-256 of the entry and the previous hash. */
export function hashEntry(entry: Unhashed): string {
  const { previous_hash, tenant_id, number, at, actor, action, target, detail } = entry;
  return createHash('sha256')
    .update(JSON.stringify([previous_hash, tenant_id, number, at, actor, action, target, detail]))
    .digest('hex');
}

export interface Verification {
  valid: boolean;
  /** Number of verified entries. */
  entries: number;
  /** Hash of the last valid entry. Keep it elsewhere to detect truncation. */
  head: string;
  /** First entry that was changed, or follows a missing one. */
  broken_at: number | null;
}

/** Verifies a tenant's entries from the first, page by page. */
export async function verifyChain(pages: AsyncIterable<AuditRow[]>): Promise<Verification> {
  let entries = 0;
  let head = '';
  for await (const page of pages) {
    for (const entry of page) {
      const follows = entry.number === entries + 1 && entry.previous_hash === head;
      if (!follows || hashEntry(entry) !== entry.hash)
        return { valid: false, entries, head, broken_at: entries + 1 };
      entries++;
      head = entry.hash;
    }
  }
  return { valid: true, entries, head, broken_at: null };
}
