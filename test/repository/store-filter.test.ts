import { beforeAll, describe, expect, test } from '@jest/globals';
import { InMemoryStore } from '@langchain/langgraph';
import { parseFilter } from '../../src/agent-server/auth/filter-parser.ts';
import type { Store } from '../../src/agent-server/store/store-service.ts';
import { item, keysFound, openStore, search } from '../support/use-store.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
let store: Store;

const ITEMS: Record<string, Record<string, unknown>> = {
  nine: {
    n: 9,
    color: 'red',
    on: true,
    meta: { lang: 'en', size: { w: 1 } },
    tags: ['a', 'b'],
    when: '2026-03-01',
  },
  ten: { n: 10, color: 'Red', on: false, meta: { lang: 'de' }, tags: ['b', 'a'], when: '2026-10-01' },
  half: { n: 0.5, color: null, meta: 'en' },
  text: { n: '10', color: 'blue' },
};

beforeAll(async () => {
  store = await openStore(database.db);
  for (const [key, value] of Object.entries(ITEMS)) await store.put(item(['f'], key, value));
});

test.each<[Record<string, unknown>, string[]]>([
  [{}, ['half', 'nine', 'ten', 'text']],
  [{ color: 'red' }, ['nine']],
  [{ n: 10 }, ['ten']],
  [{ n: 10.0, on: false }, ['ten']],
  [{ n: '10' }, ['text']],
  [{ on: true, color: 'blue' }, []],
  // A missing field counts as null.
  [{ color: null }, ['half']],
  [{ on: null }, ['half', 'text']],
  [{ color: { $eq: 'red' } }, ['nine']],
  [{ color: { $ne: 'red' } }, ['half', 'ten', 'text']],
  [{ on: { $ne: null } }, ['nine', 'ten']],
  [{ on: { $ne: true } }, ['half', 'ten', 'text']],
  // Numbers as numbers, strings as strings, never one as the other.
  [{ n: { $gt: 9 } }, ['ten']],
  [{ n: { $gte: 9 } }, ['nine', 'ten']],
  [{ n: { $lt: 10 } }, ['half', 'nine']],
  [{ n: { $lte: 0.5 } }, ['half']],
  [{ n: { $gt: '09' } }, ['text']],
  [{ n: { $gt: 1, $lt: 10 } }, ['nine']],
  [{ when: { $gte: '2026-03', $lt: '2026-04' } }, ['nine']],
  [{ color: { $lt: 'a' } }, ['ten']],
  [{ on: { $gt: false } }, ['nine']],
  // An object is contained key by key, with operators inside; a list is equal.
  [{ meta: { lang: 'en' } }, ['nine']],
  [{ meta: { size: { w: { $gte: 1 } } } }, ['nine']],
  [{ meta: {} }, ['nine', 'ten']],
  [{ tags: ['a', 'b'] }, ['nine']],
  [{ tags: ['a'] }, []],
  [{ n: { $in: [9, 0.5, 'x'] } }, ['half', 'nine']],
  [{ color: { $in: [null] } }, ['half']],
  [{ n: { $nin: [9, 10] } }, ['half', 'text']],
  [{ n: { $in: [] } }, []],
  [{ "n' or 1=1 --": 1 }, []],
])('%j finds %j', async (filter, keys) => {
  expect((await keysFound(store, ['f'], { filter })).sort()).toEqual(keys);
});

test('an unknown operator is refused', async () => {
  await expect(store.search(search(['f'], { filter: { n: { $like: 'x' } } }))).rejects.toMatchObject({
    status: 422,
  });
});

describe.each([
  ['our store', undefined, undefined],
  ['a store of the project', { path: './store.ts:store' }, () => new InMemoryStore()],
])('authorization filters on %s', (_name, config, exported) => {
  const reach = parseFilter({ owner: 'ada' });
  let kept: Store;
  beforeAll(async () => {
    kept = await openStore(database.db, config, exported);
    for (let n = 0; n < 4; n++) {
      const owner = n % 2 ? 'ada' : 'bob';
      await kept.put(item(['owned', `of-${owner}`], `${n}`, { owner, n }));
    }
  });

  test('search applies the filter before pagination', async () => {
    const page = { limit: 1, offset: 1, filter: { n: { $gte: 0 } } };
    const all = await kept.search(search(['owned'], { limit: 10 }), reach);
    expect(all.map(({ value }) => value['owner'])).toEqual(['ada', 'ada']);
    const paged = await kept.search(search(['owned'], page), reach);
    expect(paged.map(({ key }) => key)).toEqual([all[1]!.key]);
  });

  test('items that do not pass can be neither read nor written nor deleted', async () => {
    const his = item(['owned', 'of-bob'], '0', { owner: 'ada' });
    await expect(kept.get(his, reach)).rejects.toMatchObject({ status: 404 });
    await expect(kept.put(his, reach)).rejects.toMatchObject({ status: 404 });
    await expect(kept.delete(his, reach)).rejects.toMatchObject({ status: 404 });
    const strange = item(['owned'], 'new', { owner: 'bob' });
    await expect(kept.put(strange, reach)).rejects.toMatchObject({ status: 403 });
    await expect(kept.delete(strange, reach)).rejects.toMatchObject({ status: 403 });
    expect((await kept.get(his))?.value).toEqual({ owner: 'bob', n: 0 });
  });

  test('namespaces are filtered by their labels', async () => {
    const labelled = parseFilter({ namespace: { $contains: 'of-ada' } });
    expect(await kept.listNamespaces({ prefix: ['owned'], limit: 10, offset: 0 }, labelled)).toEqual([
      ['owned', 'of-ada'],
    ]);
  });
});

test('similarity search applies the filter', async () => {
  const index = { dims: 2, embed: './embed.ts:embed' };
  const embed = (texts: string[]) => texts.map((text) => (text.includes('near') ? [1, 0] : [0, 1]));
  const indexed = await openStore(database.db, { index }, embed);
  for (const owner of ['ada', 'bob']) await indexed.put(item(['v', owner], 'k', { owner, text: 'near' }));
  const found = await indexed.search(search(['v'], { query: 'near' }), parseFilter({ owner: 'ada' }));
  expect(found).toMatchObject([{ namespace: ['v', 'ada'], score: 1 }]);
});
