import { createHash } from 'node:crypto';

/** An entry of the audit log as it is in its row. */
export interface AuditRow {
  tenant_id: string;
  /** Counts from 1, without a gap. */
  number: number;
  /** ISO 8601, UTC. */
  at: string;
  actor: string;
  action: string;
  target: string;
  /** Text of a JSON object: what was asked for, without any secret's value. */
  detail: string;
  /** `hash` of the entry before; empty for the first. */
  previous_hash: string;
  hash: string;
}

export type Unhashed = Omit<AuditRow, 'hash'>;

/** SHA-256 over the entry and the hash of the one before it, in hex. */
export function hashEntry(entry: Unhashed): string {
  const { previous_hash, tenant_id, number, at, actor, action, target, detail } = entry;
  return createHash('sha256')
    .update(JSON.stringify([previous_hash, tenant_id, number, at, actor, action, target, detail]))
    .digest('hex');
}

export interface Verification {
  valid: boolean;
  /** Entries that were looked at. */
  entries: number;
  /** Hash of the last good one; keep it elsewhere to notice when the end of the log is cut off. */
  head: string;
  /** Number of the first entry that is not what was written, or comes after one that is missing. */
  broken_at: number | null;
}

/** Goes over a tenant's entries from the first, page by page. */
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
