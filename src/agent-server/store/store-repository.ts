import { sealedJsonText } from '../../platform/db/sealing.ts';
import type { Queryable, Statement } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { storableText } from '../../platform/storable-text.ts';
import { filterConditions } from './item-filter.ts';
import { decodeNamespace, encodeNamespace, namespaceRange } from './store-namespace.ts';
import type { FoundItem, ItemName, StoreItem } from './store-item.ts';

/** Namespace and key as stored in the columns. */
export type StoredName = readonly [namespace: string, key: string];

export const storedName = ({ namespace, key }: ItemName): StoredName => [
  encodeNamespace(namespace),
  storableText(String(key)),
];

/** Combines both into a single string. */
export const idOf = ([namespace, key]: StoredName): string => `${namespace}\0${key}`;

/**
 * A row returned by a read. `expiring` is true if enough of the item's ttl has passed to make a refresh worth a
 * write.
 */
export interface ItemRow extends Omit<StoreItem, 'namespace'> {
  item_id: number;
  namespace: string;
  expiring: boolean | null;
  score?: number | null;
}

export interface NewItem {
  name: StoredName;
  /** JSON text. */
  value: string;
  /** Minutes. */
  ttl: number | null;
}

// Keep in sync with `filteredFields`.
const FILTERED = `(store_item.value || jsonb_build_object(
  'namespace', string_to_array(left(store_item.namespace, -1), '.'), 'key', store_item.key))`;

const LIVE = '(expires_at is null or expires_at > now())';

// Skip a refresh that would move the expiry by less than a hundredth of the ttl or less than a minute; otherwise
// items in constant use would be written on every read.
const EXPIRING = `expires_at + least(ttl_minutes * interval '0.6 seconds', interval '1 minute')
  < now() + ttl_minutes * interval '1 minute'`;

/** The columns of an ItemRow, except `score`. */
export const COLUMNS = `item_id, namespace, key, value, created_at, updated_at, ${EXPIRING} as expiring`;

export const toItem = ({ namespace, key, value, created_at, updated_at }: ItemRow): StoreItem => ({
  namespace: decodeNamespace(namespace),
  key,
  value,
  created_at,
  updated_at,
});

export const toFoundItem = (row: ItemRow): FoundItem => ({ ...toItem(row), score: row.score ?? null });

export function itemsSelect(names: readonly StoredName[]): Statement {
  const [first] = names;
  // The plain form takes Postgres two thirds of the time of the general one.
  if (first && names.length === 1) {
    return {
      text: `select ${COLUMNS} from store_item where namespace = $1 and key = $2 and ${LIVE}`,
      values: [...first],
    };
  }
  return {
    text: `select ${COLUMNS} from unnest($1::text[], $2::text[]) wanted (namespace, key)
      join store_item using (namespace, key) where ${LIVE}`,
    values: columnsOf(names),
  };
}

/** Restricts the query to items that pass the filter. */
export const within = (where: Where, reach: RowFilter | undefined): Where => where.andPasses(FILTERED, reach);

export interface ItemSelection {
  prefix: readonly string[];
  filter?: JsonObject | undefined;
  reach?: RowFilter | undefined;
}

/** The condition that selects the items of a search. */
export function selected({ prefix, filter = {}, reach }: ItemSelection, where: Where): string {
  const range = namespaceRange(prefix);
  if (range) where.and`namespace >= ${range[0]}`.and`namespace < ${range[1]}`;
  within(where, reach);
  const conditions = filterConditions(filter, (value) => where.bind(value));
  return [where.and`(expires_at is null or expires_at > now())`.text, ...conditions].join(' and ');
}

/** Most recently updated first. */
export function itemsSearch(selection: ItemSelection, limit: number, offset: number): Statement {
  const where = new Where();
  const text = `select ${COLUMNS} from store_item ${selected(selection, where)}
    order by updated_at desc, item_id desc limit ${where.bind(limit)} offset ${where.bind(offset)}`;
  return { text, values: where.values };
}

/**
 * Upserts items with distinct names. An existing item keeps its created_at unless it has expired. With `reach`, items
 * that don't pass stay unchanged, and the written ones are returned.
 */
export function itemsUpsert(items: readonly NewItem[], reach?: RowFilter): Statement {
  const where = new Where();
  const { values } = where;
  const rows = items.map(({ name, value, ttl }) => {
    const n = values.push(...name, sealedJsonText('store', 'value', value), ttl);
    const expiry = `clock_timestamp() + $${n}::float8 * interval '1 minute'`;
    return `($${n - 3}, $${n - 2}, $${n - 1}::jsonb, $${n}::float8, ${expiry})`;
  });
  return {
    text: `insert into store_item (namespace, key, value, ttl_minutes, expires_at) values ${rows.join(', ')}
      on conflict (namespace, key) do update set value = excluded.value, updated_at = excluded.updated_at,
        created_at = case when store_item.expires_at <= now() then excluded.created_at else store_item.created_at end,
        ttl_minutes = excluded.ttl_minutes, expires_at = excluded.expires_at
      ${reach ? `where store_item.expires_at <= now() or ${where.passes(FILTERED, reach)} returning item_id` : ''}`,
    values,
  };
}

export function itemsDelete(names: readonly StoredName[], reach?: RowFilter): Statement {
  const [namespaces, keys] = columnsOf(names);
  const where = new Where()
    .and`(namespace, key) in (select * from unnest(${namespaces}::text[], ${keys}::text[]))`;
  return { text: `delete from store_item ${within(where, reach).text}`, values: where.values };
}

export const columnsOf = (names: readonly StoredName[]): [namespaces: string[], keys: string[]] => [
  names.map(([namespace]) => namespace),
  names.map(([, key]) => key),
];

/** Restarts the ttl of items, skipping those locked by another transaction. */
export async function renewExpiry(db: Queryable, itemIds: number[]): Promise<void> {
  await db.query(
    `update store_item set expires_at = clock_timestamp() + ttl_minutes * interval '1 minute' where item_id in (
       select item_id from store_item where item_id = any($1::bigint[]) and expires_at > now() for update skip locked)`,
    [itemIds],
  );
}

/** Removes at most `limit` expired items and returns the count. Safe to run in several processes at once. */
export async function sweepExpiredItems(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from store_item where item_id in (
       select item_id from store_item where expires_at <= now() order by expires_at limit $1 for update skip locked)`,
    [limit],
  );
  return rowCount ?? 0;
}
