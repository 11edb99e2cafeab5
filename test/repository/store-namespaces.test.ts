import { beforeAll, expect, test } from '@jest/globals';
import type { NamespaceList } from '../../src/agent-server/store/store-item.ts';
import type { Store } from '../../src/agent-server/store/store-service.ts';
import { item, openStore } from '../support/use-store.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
let store: Store;
const list = (request: Partial<NamespaceList>) => store.listNamespaces({ limit: 100, offset: 0, ...request });
const joined = async (request: Partial<NamespaceList>) =>
  (await list(request)).map((labels) => labels.join('/'));

beforeAll(async () => {
  store = await openStore(database.db);
  for (const path of [
    'docs',
    'docs/a/v1',
    'docs/a/v2',
    'docs/b',
    'docs/b/v1',
    'docs-2/b/v1',
    'users/ada',
    'users/(x|y)/v1',
    'v1',
  ]) {
    for (const key of ['1', '2', '3']) await store.put(item(path.split('/'), key));
  }
});

test.each<[Partial<NamespaceList>, string[]]>([
  [
    {},
    [
      'docs',
      'docs-2/b/v1',
      'docs/a/v1',
      'docs/a/v2',
      'docs/b',
      'docs/b/v1',
      'users/(x|y)/v1',
      'users/ada',
      'v1',
    ],
  ],
  [{ prefix: ['docs'] }, ['docs', 'docs/a/v1', 'docs/a/v2', 'docs/b', 'docs/b/v1']],
  [{ prefix: ['docs', 'a', 'v1'] }, ['docs/a/v1']],
  [{ prefix: ['doc'] }, []],
  [{ suffix: ['v1'] }, ['docs-2/b/v1', 'docs/a/v1', 'docs/b/v1', 'users/(x|y)/v1', 'v1']],
  [{ suffix: ['b', 'v1'] }, ['docs-2/b/v1', 'docs/b/v1']],
  [{ suffix: ['1'] }, []],
  [{ prefix: ['docs'], suffix: ['v1'] }, ['docs/a/v1', 'docs/b/v1']],
  [{ prefix: ['*', 'b'] }, ['docs-2/b/v1', 'docs/b', 'docs/b/v1']],
  [{ prefix: ['docs', '*', 'v2'] }, ['docs/a/v2']],
  [{ suffix: ['*', 'v1'] }, ['docs-2/b/v1', 'docs/a/v1', 'docs/b/v1', 'users/(x|y)/v1']],
  [{ prefix: ['users', '(x|y)'] }, ['users/(x|y)/v1']],
  [{ suffix: ['(x|y)', 'v1'] }, ['users/(x|y)/v1']],
  [{ max_depth: 1 }, ['docs', 'docs-2', 'users', 'v1']],
  [{ max_depth: 2 }, ['docs', 'docs-2/b', 'docs/a', 'docs/b', 'users/(x|y)', 'users/ada', 'v1']],
  [{ max_depth: 1_000, prefix: ['users'] }, ['users/(x|y)/v1', 'users/ada']],
  [{ max_depth: 1, suffix: ['v2'] }, ['docs']],
  [{ max_depth: 2, prefix: ['docs', '*', 'v1'] }, ['docs/a', 'docs/b']],
])('%j lists %j', async (request, expected) => {
  expect((await joined(request)).sort()).toEqual([...expected].sort());
});

test('pages are consecutive', async () => {
  const all = await joined({ max_depth: 2 });
  const pages = [
    await joined({ max_depth: 2, limit: 3 }),
    await joined({ max_depth: 2, limit: 10, offset: 3 }),
  ];
  expect(pages.flat()).toEqual(all);
  expect(pages[0]).toHaveLength(3);
});

test('a namespace disappears with its last item', async () => {
  await store.put(item(['brief', 'x'], 'k'));
  expect(await joined({ prefix: ['brief'] })).toEqual(['brief/x']);
  await store.delete({ namespace: ['brief', 'x'], key: 'k' });
  expect(await joined({ prefix: ['brief'] })).toEqual([]);
});

test('invalid labels are refused', async () => {
  await expect(list({ prefix: ['a.b'] })).rejects.toMatchObject({ status: 422 });
  await expect(list({ suffix: [''] })).rejects.toMatchObject({ status: 422 });
});
