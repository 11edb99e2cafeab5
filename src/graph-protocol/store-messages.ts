import type { Json } from './messages.ts';

export interface ItemName {
  namespace: string[];
  key: string;
}

export interface StoreItem extends ItemName {
  value: Json;
  created_at: string;
  updated_at: string;
}

/** `score` is the cosine similarity to the query; null where there was none or the item is not embedded. */
export interface FoundItem extends StoreItem {
  score: number | null;
}

/** Labels a namespace must begin or end with; `*` stands for any one label. */
export interface NamespaceMatch {
  type: 'prefix' | 'suffix';
  path: readonly string[];
}

export interface ItemGet extends ItemName {
  /** Whether reading renews the item's time; by default as the project configures. */
  refresh_ttl?: boolean | undefined;
}

export interface ItemPut extends ItemName {
  value: Json;
  /** Paths of the texts to embed; false for none, null for those of the project. */
  index?: false | string[] | null | undefined;
  /** Minutes; null for an item that stays; by default what the project says. */
  ttl?: number | null | undefined;
}

export interface ItemSearch {
  namespace_prefix: string[];
  filter?: Json | undefined;
  query?: string | undefined;
  refresh_ttl?: boolean | undefined;
  limit: number;
  offset: number;
}

export interface NamespaceSelection {
  matches: NamespaceMatch[];
  max_depth?: number | undefined;
  limit: number;
  offset: number;
}

/** What can be asked of a store. The result is in the same place of the batch's results. */
export type StoreOperation =
  | ({ action: 'get' } & ItemGet)
  | ({ action: 'search' } & ItemSearch)
  | ({ action: 'list_namespaces' } & NamespaceSelection)
  | ({ action: 'put' } & ItemPut)
  | ({ action: 'delete' } & ItemName);

/** An item or null of `get`, items of `search`, namespaces of `list_namespaces`, undefined of writes. */
export type StoreResult = StoreItem | null | FoundItem[] | string[][] | undefined;
