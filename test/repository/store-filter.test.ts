import { beforeAll, expect, test } from '@jest/globals';
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
