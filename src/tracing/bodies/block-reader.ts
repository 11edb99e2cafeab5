import type { Queryable } from '../../platform/db/database.ts';
import { type BlockEncoding, decodeBlock } from './block-encoding.ts';
import { type Place, readPlace } from './place.ts';

const LENGTH_BYTES = 4;
const BLOCKS_AT_ONCE = 16;

/**
 * The bodies at these places, by place; each block is read and inflated once. A place whose block was removed has none.
 * Bodies are JSON text.
 */
export async function readBodies(
  db: Queryable,
  tenantId: string,
  places: Iterable<string>,
): Promise<Map<string, Buffer>> {
  const wanted = new Map([...new Set(places)].map((text) => [text, readPlace(text)]));
  if (wanted.size === 0) return new Map();
  const blocks = [...new Map([...wanted.values()].map((at) => [`${at.week}/${at.block}`, at])).values()];
  const bodies = new Map<string, Buffer>();
  for (let at = 0; at < blocks.length; at += BLOCKS_AT_ONCE) {
    const inflated = await readBlocks(db, tenantId, blocks.slice(at, at + BLOCKS_AT_ONCE));
    for (const [text, { week, block, offset }] of wanted) {
      const bytes = inflated.get(`${week}/${block}`);
      if (bytes) bodies.set(text, bodyAt(bytes, offset));
    }
  }
  return bodies;
}

async function readBlocks(db: Queryable, tenantId: string, blocks: Place[]): Promise<Map<string, Buffer>> {
  const { rows } = await db.query<{ week: string; id: number; encoding: BlockEncoding; bytes: Buffer }>(
    `select b.week::text, b.id, b.encoding, b.bytes
     from unnest($2::date[], $3::bigint[]) as w (week, id)
     join tracing.body_block b on b.week = w.week and b.id = w.id and b.tenant_id = $1`,
    [tenantId, blocks.map(({ week }) => week), blocks.map(({ block }) => block)],
  );
  return new Map(
    await Promise.all(
      rows.map(
        async ({ week, id, encoding, bytes }) =>
          [`${week}/${id}`, await decodeBlock(encoding, bytes)] as const,
      ),
    ),
  );
}

// A copy: what is left of the block need not be kept.
const bodyAt = (bytes: Buffer, offset: number): Buffer => {
  const start = offset + LENGTH_BYTES;
  return Buffer.from(bytes.subarray(start, start + bytes.readUInt32LE(offset)));
};
