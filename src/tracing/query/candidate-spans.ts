import type { Statement } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import { mayContainSql } from '../bodies/word-filter.ts';
import { locationSql } from '../bodies/body-location.ts';
import type { BodyTest } from './filter/condition.ts';
import type { Narrow } from './filter/narrowest.ts';
import type { RunQuery } from './run-query.ts';

/** A time range, inclusive at both ends. */
type Span = [from: string, to: string];

/** Time spans that may contain the newest runs with one of the words. */
export interface CandidateSpans {
  spans: Span[];
  /** Keys of the blocks that may pass each test. */
  blocks: Map<BodyTest, string[]>;
  /** Runs up to this time were not examined; undefined if all were. */
  floor: string | undefined;
  /** Whether blocks or rows from before word filters lie beyond the floor. */
  hasUnfilteredBelow: boolean;
}

const ALL_AFTER = 'infinity';
const ALL_BEFORE = '-infinity';
const KEY = `(${locationSql.keyOfBlock('b.week', 'b.id')})::text`;

export interface CandidateRow {
  key: string | null;
  first_start: string;
  last_start: string;
  /** Indexes of the words it may contain. */
  may: number[];
}

/**
 * Selects the newest `limit` + 1 blocks and row groups up to `to` that may contain one of the words. Scans an index
 * from the newest, because Postgres cannot estimate how many match.
 */
export function candidateStatement(
  { tenant_id, from }: RunQuery,
  narrow: Narrow[],
  to: string | undefined,
  limit: number,
): Statement {
  const where = new Where();
  const tenant = where.bind(tenant_id);
  const [first, last, most] = [from ?? ALL_BEFORE, to ?? ALL_AFTER, limit + 1].map((value) =>
    where.bind(value),
  );
  const candidatesIn = (table: string, key: string, tests: string[], ...more: string[]): string =>
    `(select ${key} as key, b.first_start, b.last_start, array_remove(array[${tests
      .map((test, index) => `case when ${test} then ${index} end`)
      .join()}]::int[], null) as may
    from (
      select * from tracing.${table} b where b.tenant_id = ${tenant}::uuid and b.last_start >= ${first}::timestamptz
        and b.first_start <= ${last}::timestamptz
      order by b.last_start desc nulls last offset 0) b
    where ${[...tests, ...more].join(' or ')} limit ${most}::int)`;
  const testsOf = (ofBodies: boolean): string[] =>
    narrow.map(({ bits, body }) => (Boolean(body) === ofBodies ? mayContainSql('b.grams', bits) : 'false'));
  return {
    text: `select * from (
        ${candidatesIn('body_block', KEY, testsOf(true), `b.last_start = '${ALL_AFTER}'`)}
        union all
        ${candidatesIn('run_words', 'null', testsOf(false), `b.first_start = '${ALL_BEFORE}'`)}) as found
      order by last_start desc limit ${most}::int`,
    values: where.values,
  };
}

/** `to` as requested. Undefined if runs may be anywhere, because an older version is still writing blocks. */
export function readCandidateSpans(
  rows: CandidateRow[],
  narrow: Narrow[],
  to: string | undefined,
  limit: number,
): CandidateSpans | undefined {
  const unknown = rows.findIndex(({ first_start }) => first_start === ALL_BEFORE);
  if (rows[unknown]?.last_start === ALL_AFTER) return undefined;
  const known = rows.slice(0, unknown < 0 ? limit : unknown);
  const floor = rows[known.length]?.last_start;
  const blocks = new Map<BodyTest, string[]>();
  narrow.forEach(({ body }, index) => {
    if (body)
      blocks.set(
        body,
        known.flatMap(({ key, may }) => (key !== null && may.includes(index) ? key : [])),
      );
  });
  return { spans: mergeSpans(known, floor, to), blocks, floor, hasUnfilteredBelow: unknown >= 0 };
}

/** Covers all runs up to `to`. */
export const spansUntil = (to: string): CandidateSpans => ({
  spans: [[ALL_BEFORE, to]],
  blocks: new Map(),
  floor: undefined,
  hasUnfilteredBelow: false,
});

/** Merges overlapping spans and cuts them at the floor. */
function mergeSpans(candidates: CandidateRow[], floor: string | undefined, to: string | undefined): Span[] {
  const spans: Span[] = [];
  const inOrder = candidates.toSorted((one, other) =>
    micros(one.first_start) < micros(other.first_start) ? -1 : 1,
  );
  for (const { first_start, last_start } of inOrder) {
    if (to !== undefined && micros(first_start) > micros(to)) continue;
    const from = floor !== undefined && micros(first_start) < micros(floor) ? floor : first_start;
    const until = to !== undefined && micros(last_start) > micros(to) ? to : last_start;
    const open = spans.at(-1);
    if (!open || micros(from) > micros(open[1])) spans.push([from, until]);
    else if (micros(until) > micros(open[1])) open[1] = until;
  }
  return spans;
}

// Times are in UTC, written with Z or with an offset.
const micros = (time: string): string => time.slice(0, 26);
