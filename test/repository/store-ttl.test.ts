import { expect, test } from '@jest/globals';
import { sweepExpiredItems } from '../../src/agent-server/store/store-repository.ts';
import { item, keysFound, openStore, search } from '../support/use-store.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

interface Expiry {
  ttl_minutes: number | null;
  /** Minutes since it was written. */
  left: number | null;
}

async function expiryOf(key: string): Promise<Expiry> {
  const { rows } = await database.db.query<Expiry>(
    'select ttl_minutes, extract(epoch from expires_at - updated_at)::float8 / 60 as left from store_item where key = $1',
    [key],
  );
  return rows[0]!;
}

/** Ages the items by `minutes`. */
const pass = (key: string, minutes: number) =>
  database.db.query(
    `update store_item set expires_at = expires_at - $2 * interval '1 minute' where key = $1`,
    [key, minutes],
  );

test('an item without a TTL gets the default, and null means none', async () => {
  const store = await openStore(database.db, { ttl: { default_ttl: 10 } });
  await store.put(item(['d'], 'default'));
  await store.put({ ...item(['d'], 'own'), ttl: 0.5 });
  await store.put({ ...item(['d'], 'none'), ttl: null });
  expect(await expiryOf('default')).toEqual({ ttl_minutes: 10, left: expect.closeTo(10, 1) });
  expect(await expiryOf('own')).toEqual({ ttl_minutes: 0.5, left: expect.closeTo(0.5, 1) });
  expect(await expiryOf('none')).toEqual({ ttl_minutes: null, left: null });
  await store.put({ ...item(['d'], 'own'), ttl: null });
  expect(await expiryOf('own')).toEqual({ ttl_minutes: null, left: null });
});

test('without a default items stay', async () => {
  const store = await openStore(database.db);
  await store.put(item(['d'], 'stays'));
  expect(await expiryOf('stays')).toEqual({ ttl_minutes: null, left: null });
});

test('an expired item is hidden before the sweep removes it', async () => {
  const store = await openStore(database.db);
  const at = { namespace: ['gone'], key: 'old' };
  await store.put({ ...at, value: { v: 1 }, ttl: 1 });
  await store.put(item(['gone', 'by'], 'kept'));
  await pass('old', 2);
  expect(await store.get(at)).toBeNull();
  expect(await keysFound(store, ['gone'])).toEqual(['kept']);
  expect(await store.listNamespaces({ prefix: ['gone'], limit: 10, offset: 0 })).toEqual([['gone', 'by']]);
  expect(await sweepExpiredItems(database.db, 100)).toBe(1);
  expect(await sweepExpiredItems(database.db, 100)).toBe(0);
  expect(await keysFound(store, ['gone'])).toEqual(['kept']);
});

test('a sweep respects its limit', async () => {
  const store = await openStore(database.db);
  for (const key of ['s1', 's2', 's3']) {
    await store.put({ ...item(['sweep'], key), ttl: 1 });
    await pass(key, 2);
  }
  const swept = await Promise.all([sweepExpiredItems(database.db, 2), sweepExpiredItems(database.db, 2)]);
  expect(swept.reduce((sum, n) => sum + n)).toBeGreaterThanOrEqual(2);
  await sweepExpiredItems(database.db, 2);
  expect(await expiryOf('s1')).toBeUndefined();
});

test('an item written after it expired is a new one', async () => {
  const store = await openStore(database.db);
  const at = { namespace: ['again'], key: 'again' };
  await store.put({ ...at, value: {}, ttl: 1 });
  const first = await store.get(at);
  await pass('again', 5);
  await store.put({ ...at, value: {} });
  expect((await store.get(at))!.created_at > first!.created_at).toBe(true);
});

test('reading refreshes the TTL unless disabled', async () => {
  const store = await openStore(database.db);
  const at = { namespace: ['r'], key: 'read' };
  const refreshedBy = async (read: () => Promise<unknown>) => {
    await store.put({ ...at, value: {}, ttl: 10 });
    await pass('read', 4);
    await read();
    return (await expiryOf('read')).left! > 9;
  };
  expect(await refreshedBy(() => store.get(at))).toBe(true);
  expect(await refreshedBy(() => store.get({ ...at, refresh_ttl: true }))).toBe(true);
  expect(await refreshedBy(() => store.get({ ...at, refresh_ttl: false }))).toBe(false);
  expect(await refreshedBy(() => store.search(search(['r'])))).toBe(true);
  expect(await refreshedBy(() => store.search(search(['r'], { refresh_ttl: false })))).toBe(false);
  expect(await refreshedBy(() => store.search(search(['r'], { filter: { no: 1 } })))).toBe(false);
});

test('the project can disable refreshing on read', async () => {
  const store = await openStore(database.db, { ttl: { refresh_on_read: false } });
  const at = { namespace: ['r'], key: 'quiet' };
  await store.put({ ...at, value: {}, ttl: 10 });
  await pass('quiet', 4);
  await store.get(at);
  expect((await expiryOf('quiet')).left).toBeCloseTo(6, 1);
  await store.get({ ...at, refresh_ttl: true });
  expect((await expiryOf('quiet')).left).toBeGreaterThan(9.9);
});

test('reading an item often does not write it each time', async () => {
  const store = await openStore(database.db);
  const at = { namespace: ['r'], key: 'hot' };
  await store.put({ ...at, value: {}, ttl: 60 });
  const version = () =>
    database.db.query('select xmin from store_item where key = $1', ['hot']).then(({ rows }) => rows);
  const before = await version();
  await store.get(at);
  expect(await version()).toEqual(before);
});
