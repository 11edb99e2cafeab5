/** Where a body is: a block of a week, and the offset in it, in one number that Postgres holds as a bigint. */
export interface Place {
  /** Monday of the week the block was written in, `YYYY-MM-DD`. */
  week: string;
  block: number;
  offset: number;
}

const WEEK_MS = 7 * 86_400_000;
// The first Monday of 1970.
const FIRST_MONDAY_MS = 4 * 86_400_000;
const OFFSET_BITS = 24n;
const BLOCK_BITS = 26n;

const BLOCKS = 2 ** Number(BLOCK_BITS);

/** Bodies of a block begin before this offset. */
export const OFFSETS = 2 ** Number(OFFSET_BITS);
const OFFSET_MASK = BigInt(OFFSETS - 1);

/** Decimal digits: JavaScript numbers are too small for it. */
export function writePlace({ week, block, offset }: Place): string {
  const weeks = BigInt(Math.round((Date.parse(week) - FIRST_MONDAY_MS) / WEEK_MS));
  return String((((weeks << BLOCK_BITS) | BigInt(block)) << OFFSET_BITS) | BigInt(offset));
}

export function readPlace(text: string): Place {
  const place = BigInt(text);
  // Without the offset it is small enough for arithmetic.
  const above = Number(place >> OFFSET_BITS);
  return {
    week: weekAfter(Math.floor(above / BLOCKS)),
    block: above % BLOCKS,
    offset: Number(place & OFFSET_MASK),
  };
}

/** The same in SQL. A key is a place without its offset: it says which block it is. */
export const placeSql = {
  week: (place: string): string => `date '1970-01-05' + 7 * (${place} >> ${OFFSET_BITS + BLOCK_BITS})::int`,
  block: (place: string): string => `(${place} >> ${OFFSET_BITS}) & ${BLOCKS - 1}`,
  key: (place: string): string => `${place} >> ${OFFSET_BITS}`,
  keyOfBlock: (week: string, block: string): string =>
    `(${week} - date '1970-01-05') / 7 * ${BLOCKS}::bigint + ${block}`,
};

// Places that are read together are of few weeks.
let latest = { weeks: -1, week: '' };
function weekAfter(weeks: number): string {
  if (latest.weeks !== weeks)
    latest = { weeks, week: new Date(FIRST_MONDAY_MS + weeks * WEEK_MS).toISOString().slice(0, 10) };
  return latest.week;
}
