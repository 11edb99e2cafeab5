/** Location of a body: a weekly partition, a block in it and an offset, packed into a Postgres bigint. */
export interface BodyLocation {
  /** Monday of the week the block was written in, `YYYY-MM-DD`. */
  week: string;
  block: number;
  offset: number;
}

const WEEK_MS = 7 * 86_400_000;
const FIRST_MONDAY_MS = 4 * 86_400_000;
const OFFSET_BITS = 24n;
const BLOCK_BITS = 26n;

const BLOCKS = 2 ** Number(BLOCK_BITS);

/** Upper bound of offsets in a block. */
export const OFFSETS = 2 ** Number(OFFSET_BITS);
const OFFSET_MASK = BigInt(OFFSETS - 1);

/** Decimal digits, because the number exceeds a JavaScript integer. */
export function encodeLocation({ week, block, offset }: BodyLocation): string {
  const weeks = BigInt(Math.round((Date.parse(week) - FIRST_MONDAY_MS) / WEEK_MS));
  return String((((weeks << BLOCK_BITS) | BigInt(block)) << OFFSET_BITS) | BigInt(offset));
}

export function decodeLocation(text: string): BodyLocation {
  const location = BigInt(text);
  // Without the offset it fits in a JavaScript integer.
  const above = Number(location >> OFFSET_BITS);
  return {
    week: weekAfter(Math.floor(above / BLOCKS)),
    block: above % BLOCKS,
    offset: Number(location & OFFSET_MASK),
  };
}

/** The same in SQL. A key is a location without its offset and identifies a block. */
export const locationSql = {
  week: (location: string): string =>
    `date '1970-01-05' + 7 * (${location} >> ${OFFSET_BITS + BLOCK_BITS})::int`,
  block: (location: string): string => `(${location} >> ${OFFSET_BITS}) & ${BLOCKS - 1}`,
  key: (location: string): string => `${location} >> ${OFFSET_BITS}`,
  keyOfBlock: (week: string, block: string): string =>
    `(${week} - date '1970-01-05') / 7 * ${BLOCKS}::bigint + ${block}`,
};

// Caches the last week, because locations read together share one.
let latest = { weeks: -1, week: '' };
function weekAfter(weeks: number): string {
  if (latest.weeks !== weeks)
    latest = { weeks, week: new Date(FIRST_MONDAY_MS + weeks * WEEK_MS).toISOString().slice(0, 10) };
  return latest.week;
}
