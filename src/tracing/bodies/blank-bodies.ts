import type { Queryable } from '../../platform/db/database.ts';
import { type BlockEncoding, decodeBlock, encodeBlock, ENCODING } from './block-encoding.ts';
import { WordFilter } from './word-filter.ts';
import { decodeLocation } from './body-location.ts';

const LENGTH_BYTES = 4;
const BLANK = Buffer.from('null');

/**
 * Overwrites these bodies without moving others in their blocks. Call it in the transaction that deletes the
 * references; the block rows stay locked until it commits.
 */
export async function blankBodies(tx: Queryable, tenantId: string, locations: string[]): Promise<void> {
  const offsets = new Map<string, { week: string; block: number; offsets: number[] }>();
  for (const { week, block, offset } of locations.map(decodeLocation)) {
    const of = offsets.get(`${week}/${block}`) ?? { week, block, offsets: [] };
    of.offsets.push(offset);
    offsets.set(`${week}/${block}`, of);
  }
  // A fixed lock order prevents deadlocks.
  for (const [, { week, block, offsets: at }] of [...offsets].sort(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const { rows } = await tx.query<{ encoding: BlockEncoding; bytes: Buffer }>(
      'select encoding, bytes from tracing.body_block where week = $1 and id = $2 and tenant_id = $3 for update',
      [week, block, tenantId],
    );
    if (!rows[0]) continue;
    const bytes = await decodeBlock(rows[0].encoding, rows[0].bytes);
    for (const offset of at) blank(bytes, offset);
    await tx.query(
      `update tracing.body_block set bytes = $4, encoding = $5, grams = $6
       where week = $1 and id = $2 and tenant_id = $3`,
      [week, block, tenantId, await encodeBlock(bytes), ENCODING, rebuildFilter(bytes)],
    );
  }
}

function blank(bytes: Buffer, offset: number): void {
  const start = offset + LENGTH_BYTES;
  const length = bytes.readUInt32LE(offset);
  bytes.fill(' ', start, start + length);
  if (length >= BLANK.length) BLANK.copy(bytes, start);
}

/** Covers all bodies of the block, because only run rows know which ones are searched. */
function rebuildFilter(bytes: Buffer): Buffer | null {
  const filter = new WordFilter();
  for (let at = 0; at < bytes.length;) {
    const start = at + LENGTH_BYTES;
    at = start + bytes.readUInt32LE(at);
    filter.addBody(bytes.subarray(start, at));
  }
  return filter.pack();
}
