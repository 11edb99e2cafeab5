import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { filterBitsOf, mayContainSql } from '../../src/tracing/bodies/word-filter.ts';
import type { FoldedRun } from '../../src/tracing/ingest/folded-run.ts';
import { settleUnknownWords } from '../../src/tracing/runs/run-words.ts';
import { RunWriter } from '../../src/tracing/ingest/run-writer.ts';
import { ProjectNames } from '../../src/tracing/projects/project-names.ts';
import { readFilter } from '../../src/tracing/query/filter/read-filter.ts';
import { findRuns } from '../../src/tracing/query/find-runs.ts';
import type { Cursor, RunQuery } from '../../src/tracing/query/run-query.ts';
import { sweepTraces } from '../../src/tracing/retention/sweep-traces.ts';
import { removeTrace } from '../../src/tracing/traces/trace-removal.ts';
import { Prices } from '../../src/tracing/usage/prices.ts';
import { createDatabase, openPatiently } from '../support/use-database.ts';

const tenant_id = randomUUID();
const HOUR = 3_600_000;
const BEGIN = Date.now() - 100 * HOUR;
const BATCHES = 40;
const PER_BATCH = 4;
const PIECES =
  `Straße ÉCOLE \u212aelvin İstanbul 日本語テスト 👩‍🚀rocket naïve ΟΔΟΣ ΟΔΟΣα snake_case-1 it's a"quoted\\word 12345678
  user@example.com C:\\new\\table \u001b[31mred 1.50 café CAFE\u0301 the quick brown Foxes JUMPED overTheLazy dogs`.split(
    /\s+/,
  );

let database: Awaited<ReturnType<typeof createDatabase>>;
let db: Database;
let writer: RunWriter;
const ids: string[] = [];

// Deterministic across test runs.
let seed = 17;
const below = (most: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % most;
};
const pieces = (count: number): string =>
  Array.from({ length: count }, () => PIECES[below(PIECES.length)]! + (below(3) ? '' : below(9_999))).join(
    below(4) ? ' ' : '\n',
  );
/** JSON as some clients write it, with all non-ASCII letters and some others escaped. */
const escaped = (json: string): string =>
  json.replaceAll(/[\u0080-\uffff]|[qQ]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

const at = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
const bodyOf = (text: string): Buffer => {
  const json = JSON.stringify({ text, n: below(1000) / 8 });
  return Buffer.from(below(3) ? json : escaped(json));
};
const run = (id: string, start_time: string | undefined, more: Partial<FoldedRun>): FoldedRun => ({
  id,
  start_time,
  position: { trace_id: id },
  session: { name: `project ${below(2)}` },
  values: {},
  bodies: {},
  tags: [],
  metadata: {},
  patched: 0,
  isPosted: true,
  parsed: {},
  ...more,
});

/** Runs with words in bodies, in rows or nowhere; some are patched before or after their post. */
beforeAll(async () => {
  database = await createDatabase();
  db = openPatiently({ url: database.url, poolSize: 3 });
  await migrate(db, 'tracing', new URL('migrations/tracing/', packageRoot));
  writer = new RunWriter(db, new ProjectNames(db), { prices: new Prices(db), log: pino({ enabled: false }) });
  for (let batch = 0; batch < BATCHES; batch++) {
    const posts: FoldedRun[] = [];
    const patches: FoldedRun[] = [];
    for (let n = 0; n < PER_BATCH; n++) {
      const id = randomUUID();
      ids.push(id);
      posts.push(
        run(id, at(BEGIN + batch * HOUR + below(HOUR)), {
          ...(below(5) > 0 && { bodies: { inputs: bodyOf(pieces(3)), extra: bodyOf(pieces(1)) } }),
          values: { name: pieces(1), ...(below(9) === 0 && { inputs_preview: 'short' }) },
          ...(below(2) && { tags: [pieces(1), pieces(2)] }),
          ...(below(2) && {
            metadata: { key: pieces(1), large: below(4) ? 7 : 1e21, deep: { list: [pieces(1)] } },
          }),
        }),
      );
      const values = below(3) ? {} : { error: pieces(2) };
      patches.push(
        run(id, undefined, {
          isPosted: false,
          session: {},
          values,
          ...(below(3) > 0 && { bodies: { outputs: bodyOf(pieces(4)) } }),
          ...(below(4) === 0 && { metadata: { later: pieces(1) } }),
        }),
      );
    }
    const both = [posts, patches.filter(() => below(4) > 0)];
    for (const runs of below(3) ? both : both.toReversed()) await writer.write(tenant_id, runs);
  }
});
afterAll(async () => {
  await db.end();
  await database.drop();
});

const found = async (query: Partial<RunQuery>, searched = 20_000, limit = 7): Promise<string[]> => {
  const config = { SLIPWAY_TRACE_QUERY_SECONDS: 30, SLIPWAY_TRACE_SEARCH_RUNS: searched };
  const all: string[] = [];
  let after: Cursor | undefined;
  do {
    const page = { order: 'desc', limit, after } as const;
    const { rows, next } = await findRuns({ db, config }, { tenant_id, ...query }, page);
    all.push(...rows.map(({ id }) => id));
    after = next;
  } while (after);
  return all;
};

const word = (): string => {
  const text = pieces(1);
  const from = below(text.length);
  const some = text.slice(from, from + 1 + below(9)).trim();
  return (below(2) ? some : some.toUpperCase()) || 'foxes';
};
const searchFor = (text: string, field = ''): string => `search(${field}${JSON.stringify(text)})`;
const filters = Array.from({ length: 40 }, () => {
  const [one, other] = [
    searchFor(word()),
    searchFor(word(), ['', 'inputs, ', 'outputs, ', 'name, '][below(4)]),
  ];
  return [
    one,
    other,
    `and(${one}, ${other})`,
    `or(${one}, ${other})`,
    `and(${one}, not(${other}))`,
    `not(${one})`,
  ][below(6)]!;
});

/** The state left by a version without word filters. */
const unknowing = `update tracing.body_block set first_start = '-infinity', last_start = 'infinity', grams = null`;

test('rules out a word that never occurred even with a small search limit', async () => {
  const config = { SLIPWAY_TRACE_QUERY_SECONDS: 30, SLIPWAY_TRACE_SEARCH_RUNS: 1 };
  const other = randomUUID();
  for (let n = 0; n < 3; n++)
    await writer.write(other, [
      run(randomUUID(), at(BEGIN + n), { bodies: { inputs: bodyOf('said') }, metadata: { n } }),
    ]);
  const first = (tenant_id: string, filter: string) =>
    findRuns({ db, config }, { tenant_id, filter: readFilter(filter) }, { order: 'desc', limit: 10 });
  expect(await first(other, 'search("nobodywrotethis")')).toEqual({ rows: [], next: undefined });
  expect(await first(tenant_id, 'search(outputs, "nobodywrotethis")')).toEqual({ rows: [], next: undefined });
  expect(await first(other, 'search("sai")')).toMatchObject({ rows: [{}], next: {} });
});

test.each<[string, string, Partial<FoldedRun>]>([
  ['a name, as Postgres puts it into lower case', 'ûlesx-écoles', { values: { name: 'ÛLESX-ÉCOLES' } }],
  ['a letter that becomes ASCII', 'kelvins', { values: { error: 'in \u212aELVINS' } }],
  ['a number that JavaScript writes with an exponent', '0000000000', { metadata: { large: 1e21 } }],
  ['a key and a value within metadata', 'deepwithin', { metadata: { a: { deepWithin: ['X'] } } }],
  ['a tag', 'quoted\\"tagged', { tags: ['a Quoted\\"Tagged'] }],
])('finds words of rows: %s', async (_, text, more) => {
  const filter = readFilter(searchFor(text));
  const tenant = randomUUID();
  const [posted, late] = [randomUUID(), randomUUID()];
  await writer.write(tenant, [run(posted, at(BEGIN), more)]);
  // Words known only from a patch move with the run to its start time.
  await writer.write(tenant, [run(late, undefined, { ...more, session: {}, isPosted: false })]);
  await writer.write(tenant, [run(late, at(BEGIN - HOUR), { bodies: { inputs: bodyOf('posted later') } })]);
  const { rows } = await db.query<{ lower: string }>(`select lower('É')`);
  const isFound = rows[0]!.lower === 'é' || !text.includes('é');
  expect(await found({ tenant_id: tenant, filter })).toEqual(isFound ? [posted, late] : []);
});

test('a search returns the same with and without word filters', async () => {
  const { rows: words } = await db.query('select * from tracing.run_words');
  expect(words.length).toBeGreaterThan(BATCHES);
  const queries = filters.map((filter, n): Partial<RunQuery> => ({
    filter: readFilter(filter),
    ...(n % 5 === 0 && { from: at(BEGIN + 10 * HOUR), until: at(BEGIN + 30 * HOUR) }),
    ...(n % 7 === 0 && { trace_filter: readFilter(searchFor(word())), is_root: true }),
  }));
  const knowing: string[][] = [];
  for (const query of queries) knowing.push(await found(query));
  expect(new Set(knowing.map((some) => some.length)).size).toBeGreaterThan(5);
  await db.query(unknowing);
  for (const [n, query] of queries.entries())
    expect([filters[n], await found(query)]).toEqual([filters[n], knowing[n]]);
  // Existing blocks stay unknown, later ones are known.
  await settleUnknownWords(db);
  const later = run(randomUUID(), at(BEGIN + 90 * HOUR), { bodies: { outputs: bodyOf('somethingnew') } });
  await writer.write(tenant_id, [later]);
  expect(await found({ filter: readFilter('search("somethingnew")') })).toEqual([later.id]);
  expect(await found(queries[1]!)).toEqual(knowing[1]);
});

test('removes the words of a deleted trace from the filter of its block', async () => {
  const trace = run(randomUUID(), at(BEGIN), {
    bodies: { inputs: bodyOf('deletedsecret') },
    metadata: { user: 'somebodysname' },
  });
  await writer.write(tenant_id, [
    trace,
    run(randomUUID(), at(BEGIN), { bodies: { inputs: bodyOf('keptforever') } }),
  ]);
  const holding = async (table: string, word: string, of: 'bodies' | 'rows') => {
    const sql = `select from tracing.${table} where grams is not null and ${mayContainSql('grams', filterBitsOf(word, of))}`;
    return (await db.query(sql)).rows.length;
  };
  expect(await holding('body_block', 'deletedsecret', 'bodies')).toBe(1);
  expect(await holding('run_words', 'somebodysname', 'rows')).toBe(1);
  await removeTrace(db, { tenant_id, trace_id: trace.id });
  expect(await holding('body_block', 'deletedsecret', 'bodies')).toBe(0);
  expect(await holding('run_words', 'somebodysname', 'rows')).toBe(0);
  expect(await found({ filter: readFilter('search("keptforever")') })).toHaveLength(1);
});

test('deletes recorded words of expired runs', async () => {
  await sweepTraces(db, { days: 1, longDays: 1 });
  const { rows } = await db.query(
    'select from tracing.run_words where last_start < now() - make_interval(days => 1)',
  );
  expect(rows).toHaveLength(0);
});
