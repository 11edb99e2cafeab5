import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { Queryable } from '../../platform/db/database.ts';
import { readPlace } from './place.ts';

const inflate = promisify(inflateRaw);
const LENGTH_BYTES = 4;

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
  const { rows } = await db.query<{ week: string; id: number; bytes: Buffer }>(
    `select b.week::text, b.id, b.bytes
     from unnest($2::date[], $3::bigint[]) as w (week, id)
     join tracing.body_block b on b.week = w.week and b.id = w.id and b.tenant_id = $1`,
    [tenantId, blocks.map(({ week }) => week), blocks.map(({ block }) => block)],
  );
  const inflated = new Map(
    await Promise.all(
      rows.map(async ({ week, id, bytes }) => [`${week}/${id}`, await inflate(bytes)] as const),
    ),
  );
  const bodies = new Map<string, Buffer>();
  for (const [text, { week, block, offset }] of wanted) {
    const bytes = inflated.get(`${week}/${block}`);
    if (bytes) bodies.set(text, bodyAt(bytes, offset));
  }
  return bodies;
}

const bodyAt = (bytes: Buffer, offset: number): Buffer => {
  const start = offset + LENGTH_BYTES;
  return bytes.subarray(start, start + bytes.readUInt32LE(offset));
};
