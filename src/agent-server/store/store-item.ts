import { type Static, Type } from 'typebox';
import { PAGE } from '../../platform/http/pagination.ts';
import { JsonObject, Timestamp } from '../../platform/schema.ts';

const Labels = Type.Array(Type.String());

const ITEM = {
  namespace: Labels,
  key: Type.String(),
  value: JsonObject,
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const StoreItem = Type.Object(ITEM);
export type StoreItem = Static<typeof StoreItem>;

/** `score` is the cosine similarity to the query; null without a query or for an item that isn't embedded. */
export const FoundItem = Type.Object({ ...ITEM, score: Type.Union([Type.Number(), Type.Null()]) });
export type FoundItem = Static<typeof FoundItem>;

// A hundred years: ample for any item, and within the range of Postgres timestamps.
const Minutes = Type.Number({ exclusiveMinimum: 0, maximum: 52_560_000 });

export const ItemPut = Type.Object({
  namespace: Labels,
  key: Type.String({ minLength: 1 }),
  value: JsonObject,
  /** Paths of the texts to embed; false for none, null for the project's default. */
  index: Type.Optional(Type.Union([Type.Literal(false), Labels, Type.Null()])),
  /** Null keeps the item forever; defaults to the project's setting. */
  ttl: Type.Optional(Type.Union([Minutes, Type.Null()])),
});
export type ItemPut = Static<typeof ItemPut>;

export interface ItemName {
  namespace: string[];
  key: string;
}

/** The fields of an item that authorization filters see, including its namespace and key. */
export const filteredFields = ({ namespace, key, value }: ItemName & { value?: JsonObject }): JsonObject => ({
  ...value,
  namespace,
  key,
});

export interface ItemGet extends ItemName {
  /** Whether reading renews the item's ttl; defaults to the project's setting. */
  refresh_ttl?: boolean | undefined;
}

export const ItemSearch = Type.Object({
  namespace_prefix: Type.Array(Type.String(), { default: [] }),
  filter: Type.Optional(JsonObject),
  query: Type.Optional(Type.String()),
  refresh_ttl: Type.Optional(Type.Boolean()),
  ...PAGE,
});
export type ItemSearch = Static<typeof ItemSearch>;

export const NamespaceList = Type.Object({
  prefix: Type.Optional(Labels),
  suffix: Type.Optional(Labels),
  max_depth: Type.Optional(Type.Integer({ minimum: 1 })),
  ...PAGE,
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
});
export type NamespaceList = Static<typeof NamespaceList>;
