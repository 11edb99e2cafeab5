import type { Queryable } from '../../src/platform/db/database.ts';
import { type BlockEncoding, decodeBlock } from '../../src/tracing/bodies/block-encoding.ts';

/** All bodies there are, as they are stored. */
export async function storedBodies(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ encoding: BlockEncoding; bytes: Buffer }>(
    'select encoding, bytes from tracing.body_block',
  );
  return (await Promise.all(rows.map(({ encoding, bytes }) => decodeBlock(encoding, bytes)))).join('\n');
}
