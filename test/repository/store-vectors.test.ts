import { beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { storeBatch, type RunBatch } from '../../src/agent-server/store/store-batch.ts';
import type { FoundItem, ItemPut } from '../../src/agent-server/store/store-item.ts';
import type { StoreIndex } from '../../src/agent-server/store/store-operation.ts';
import {
  chooseVectorMath,
  PGVECTOR_MATH,
  SQL_MATH,
  type VectorMath,
} from '../../src/agent-server/store/vector-math.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { useDatabase } from '../support/use-database.ts';
import { item, openStore, search } from '../support/use-store.ts';

const database = useDatabase();
const log = pino({ level: 'silent' });

/** Plain SQL, and pgvector if the test run's Postgres has it; the embedded one does not. */
async function knownMaths(): Promise<VectorMath[]> {
  const db = openDatabase({ url: process.env['TEST_DATABASE_URL']!, poolSize: 1 });
  const { rows } = await db.query(`select from pg_available_extensions where name = 'vector'`);
  await db.end();
  return rows.length > 0 ? [SQL_MATH, PGVECTOR_MATH] : [SQL_MATH];
}
const maths = await knownMaths();

const WORDS = ['cat', 'dog', 'car', 'bus'];

/** How often each of four words occurs: similar texts have similar vectors. */
const embed = async (texts: string[]): Promise<number[][]> =>
  texts.map((text) => WORDS.map((word) => text.split(word).length - 1));

const index = (math: VectorMath, more: Partial<StoreIndex> = {}): StoreIndex => ({
  math,
  fields: ['$'],
  embedder: {
    model: 'words/4',
    embedTexts: (texts) => embed([...texts]),
    embedQuery: async (text) => (await embed([text]))[0]!,
  },
  ...more,
});

test('pgvector is used if available', async () => {
  expect(await chooseVectorMath(database.db, log)).toBe(maths.at(-1));
});

describe.each(maths)('comparing vectors with $name', (math) => {
  let run: RunBatch;
  const root = `vectors-${math.name}`;
  const open = (more?: Partial<StoreIndex>) =>
    storeBatch({ db: database.db, refreshOnRead: true, index: index(math, more) });
  const put = (key: string, value: ItemPut['value'], more: Partial<ItemPut> = {}, by = run) =>
    by([{ action: 'put', ...item([root, 'a'], key, value), ...more }]);
  const found = async (query: string, more: object = {}, by = run): Promise<FoundItem[]> =>
    (await by([{ action: 'search', ...search([root], { query, ...more }) }]))[0] as FoundItem[];
  const scores = async (query: string, more: object = {}, by = run) =>
    (await found(query, more, by)).map(({ key, score }) => [
      key,
      score === null ? null : Math.round(score * 1_000) / 1_000,
    ]);

  beforeAll(async () => {
    await chooseVectorMath(database.db, log);
    run = open();
    await put('cats', { text: 'cat cat' });
    await put('pets', { text: 'cat dog', kind: 'both' });
    await put('cars', { text: 'car' });
    await put('nothing', { text: 'tree' });
    await put('unseen', { text: 'cat' }, { index: false });
  });

  test('items are sorted by cosine similarity, those without vectors last', async () => {
    expect(await scores('cat')).toEqual([
      ['cats', 1],
      ['pets', 0.707],
      ['nothing', 0],
      ['cars', 0],
      ['unseen', null],
    ]);
    expect((await scores('car bus')).slice(0, 1)).toEqual([['cars', 0.707]]);
  });

  test('pages, filters and prefixes work as without a query', async () => {
    expect(await scores('cat', { limit: 2, offset: 1 })).toEqual([
      ['pets', 0.707],
      ['nothing', 0],
    ]);
    expect(await scores('cat', { filter: { kind: 'both' } })).toEqual([['pets', 0.707]]);
    await run([{ action: 'put', ...item([`${root}-other`], 'x', { text: 'cat' }) }]);
    expect((await scores('cat')).map(([key]) => key)).not.toContain('x');
  });

  test('a blank query counts as none', async () => {
    expect((await found(' ')).map(({ key, score }) => [key, score])).toEqual(
      ['unseen', 'nothing', 'cars', 'pets', 'cats'].map((key) => [key, null]),
    );
  });

  test("an item's current text counts", async () => {
    await put('fickle', { text: 'cat' });
    expect((await scores('cat', { filter: { text: 'cat' } })).map(([key]) => key)).toContain('fickle');
    await put('fickle', { text: 'bus' });
    expect(await scores('bus', { limit: 1 })).toEqual([['fickle', 1]]);
    await put('fickle', { text: 'bus' }, { index: false });
    expect((await found('bus')).find(({ key }) => key === 'fickle')).toMatchObject({ score: null });
    await put('fickle', { text: 'bus' });
    const withoutIndex = storeBatch({ db: database.db, refreshOnRead: true });
    await put('fickle', { text: 'dog' }, {}, withoutIndex);
    expect((await found('bus')).find(({ key }) => key === 'fickle')).toMatchObject({ score: null });
    await run([{ action: 'delete', namespace: [root, 'a'], key: 'fickle' }]);
    expect(await scores('bus', { limit: 1 })).toEqual([['nothing', 0]]);
  });

  test("an item's best text decides", async () => {
    await put(
      'book',
      { title: 'bus', chapters: [{ t: 'dog' }, { t: 'car bus' }] },
      { index: ['title', 'chapters[*].t'] },
    );
    expect(await scores('dog', { limit: 1 })).toEqual([['book', 1]]);
    expect(await scores('bus', { limit: 1 })).toEqual([['book', 1]]);
    await put('book', { title: 'bus' }, { index: ['title'] });
    expect((await scores('dog', { limit: 1 }))[0]).not.toEqual(['book', 1]);
    await run([{ action: 'delete', namespace: [root, 'a'], key: 'book' }]);
  });

  test('vectors of another model are not compared', async () => {
    const other = open({ embedder: { ...index(math).embedder, model: 'other/4' } });
    expect((await found('cat', {}, other)).every(({ score }) => score === null)).toBe(true);
  });

  test('with many vectors, only the likeliest are compared in full', async () => {
    const by = open({ math: { ...math, budget: 4 } });
    const many = Array.from({ length: 200 }, (_, n) =>
      item([root, 'many'], `k${n}`, { text: n === 77 ? 'dog dog bus' : 'cat car' }),
    );
    await run(many.map((one) => ({ action: 'put', ...one })));
    const [first] = (await by([
      { action: 'search', ...search([root, 'many'], { query: 'dog bus', limit: 1 }) },
    ])) as FoundItem[][];
    expect(first![0]).toMatchObject({ key: 'k77', score: expect.closeTo(0.949, 3) });
    await run(many.map(({ namespace, key }) => ({ action: 'delete', namespace, key })));
  });

  test('similarity matches to six digits in many dimensions', async () => {
    const vectors = [0, 1, 2].map((seed) =>
      Array.from({ length: 1_536 }, (_, i) => Math.sin(i * (seed + 1) * 1.7 + seed)),
    );
    const embedder = {
      model: 'wide/1536',
      embedTexts: async (texts: readonly string[]) => texts.map((_, i) => vectors[i + 1]!),
      embedQuery: async () => vectors[0]!,
    };
    const by = open({ embedder, fields: ['t'] });
    await by([1, 2].map((n) => ({ action: 'put', ...item([root, 'wide'], `w${n}`, { t: `${n}` }) })));
    const [items] = (await by([
      { action: 'search', ...search([root, 'wide'], { query: 'q' }) },
    ])) as FoundItem[][];
    const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
    const cosine = (a: number[], b: number[]) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
    const expected = Object.fromEntries([1, 2].map((n) => [`w${n}`, cosine(vectors[0]!, vectors[n]!)]));
    expect(items).toHaveLength(2);
    for (const { key, score } of items!) expect(score).toBeCloseTo(expected[key]!, 6);
    await by([1, 2].map((n) => ({ action: 'delete', namespace: [root, 'wide'], key: `w${n}` })));
  });
});

test("the store embeds with the project's configured function", async () => {
  const store = await openStore(
    database.db,
    { index: { dims: 4, embed: './e.ts:embed', fields: ['t'] } },
    embed,
  );
  await store.put(item(['own'], 'd', { t: 'dog', other: 'cat' }));
  await store.put(item(['own'], 'c', { t: 'cat' }));
  const items = await store.search(search(['own'], { query: 'dog' }));
  expect(items.map(({ key, score }) => [key, score])).toEqual([
    ['d', 1],
    ['c', 0],
  ]);
});

test('an item whose embedding fails is not stored', async () => {
  const wrong = await openStore(database.db, { index: { dims: 5, embed: './e.ts:embed' } }, embed);
  await expect(wrong.put(item(['failed'], 'k', { t: 'dog' }))).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('4 dimensions'),
  });
  expect(await wrong.get({ namespace: ['failed'], key: 'k' })).toBeNull();
});
