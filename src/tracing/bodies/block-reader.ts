import type { Queryable } from '../../platform/db/database.ts';
import { type BlockEncoding, decodeBlock } from './block-encoding.ts';
import { BLOCK_BYTES } from './block-writer.ts';
import { type BodyLocation, decodeLocation } from './body-location.ts';

const LENGTH_BYTES = 4;
const MAX_ROWS = 200;
/** Limit on the decoded blocks one reader holds at a time, in bytes. A single row may exceed it. */
const PORTION_BYTES = 16 * 1024 * 1024;
// For older blocks without a recorded size.
const GUESSED_SIZE = `greatest(${BLOCK_BYTES}, 8 * octet_length(b.bytes))`;

/** JSON text of bodies by location. Bodies of removed blocks are missing. */
export type Bodies = Map<string, Buffer>;

/** Consecutive rows and all their bodies. */
export interface Portion<Row> {
  rows: Row[];
  bodies: Bodies;
}

interface ReadOptions {
  /** Bytes of decoded blocks held at a time. */
  maxBytes: number;
  maxRows: number;
  /** SQL condition on blocks `b`; bodies in other blocks are left out. */
  condition: string;
}

/** Reads the bodies of rows in order, in portions that fit in memory. */
export async function* readInPortions<Row>(
  db: Queryable,
  tenantId: string,
  rows: Row[],
  locationsOf: (row: Row) => string[],
  { maxBytes = PORTION_BYTES, maxRows = MAX_ROWS, condition = 'true' }: Partial<ReadOptions> = {},
): AsyncGenerator<Portion<Row>, void, undefined> {
  for (let at = 0; at < rows.length;) {
    const batch = rows.slice(at, at + maxRows);
    const { bodies, missing } = await readLocations(
      db,
      tenantId,
      batch.flatMap(locationsOf),
      maxBytes,
      condition,
    );
    const end = batch.findIndex((row) => locationsOf(row).some((location) => missing.has(location)));
    const [first] = batch;
    const portion =
      end === 0
        ? {
            rows: [first!],
            bodies: (await readLocations(db, tenantId, locationsOf(first!), null, condition)).bodies,
          }
        : { rows: end < 0 ? batch : batch.slice(0, end), bodies };
    at += portion.rows.length;
    yield portion;
  }
}

/** Reads all bodies at once. Use it for few rows only. */
export const readBodies = async (
  db: Queryable,
  tenantId: string,
  locations: Iterable<string>,
): Promise<Bodies> => (await readLocations(db, tenantId, locations, null, 'true')).bodies;

/** Reads and decodes each block once. `missing` holds the locations that exceeded the limit. */
async function readLocations(
  db: Queryable,
  tenantId: string,
  locations: Iterable<string>,
  maxBytes: number | null,
  condition: string,
): Promise<{ bodies: Bodies; missing: Set<string> }> {
  const wanted = new Map([...new Set(locations)].map((text) => [text, decodeLocation(text)]));
  const bodies: Bodies = new Map();
  const missing = new Set<string>();
  if (wanted.size === 0) return { bodies, missing };
  const blocks = [...new Map([...wanted.values()].map((at) => [keyOf(at), at])).values()];
  const inflated = await readBlocks(db, tenantId, blocks, maxBytes, condition);
  for (const [text, at] of wanted) {
    const bytes = inflated.get(keyOf(at));
    if (bytes === null) missing.add(text);
    else if (bytes) bodies.set(text, bodyAt(bytes, at.offset));
  }
  return { bodies, missing };
}

const keyOf = ({ week, block }: Pick<BodyLocation, 'week' | 'block'>): string => `${week}/${block}`;

/** Blocks in the requested order; null for those that exceeded the limit. */
async function readBlocks(
  db: Queryable,
  tenantId: string,
  blocks: BodyLocation[],
  maxBytes: number | null,
  condition: string,
): Promise<Map<string, Buffer | null>> {
  const { rows } = await db.query<{
    week: string;
    block: number;
    encoding: BlockEncoding;
    inflated: number | null;
    bytes: Buffer | null;
  }>(
    `select week::text, block, encoding, inflated, case when $4::bigint is null or upto - size < $4 then bytes end as bytes
     from (
       select b.week, b.id as block, b.encoding, b.bytes, b.size as inflated, coalesce(b.size, ${GUESSED_SIZE}) as size,
         sum(coalesce(b.size, ${GUESSED_SIZE})) over (order by w.place) as upto
       from unnest($2::date[], $3::bigint[]) with ordinality as w (week, id, place)
       join tracing.body_block b on b.week = w.week and b.id = w.id and b.tenant_id = $1
       where ${condition}) as found`,
    [tenantId, blocks.map(({ week }) => week), blocks.map(({ block }) => block), maxBytes],
  );
  return new Map(
    await Promise.all(
      rows.map(
        async ({ encoding, bytes, inflated, ...at }) =>
          [keyOf(at), bytes && (await decodeBlock(encoding, bytes, inflated))] as const,
      ),
    ),
  );
}

// Copies, so that the rest of the block can be garbage-collected.
const bodyAt = (bytes: Buffer, offset: number): Buffer => {
  const start = offset + LENGTH_BYTES;
  return Buffer.from(bytes.subarray(start, start + bytes.readUInt32LE(offset)));
};
