import * as langgraph from '@langchain/langgraph';
import { pino } from 'pino';
import type { ProjectConfig } from '../../src/agent-server/project/project-schema.ts';
import type { ItemPut, ItemSearch } from '../../src/agent-server/store/store-item.ts';
import { createStore, type Store } from '../../src/agent-server/store/store-service.ts';
import type { Database } from '../../src/platform/db/database.ts';

/** The store of a project whose config has `config` as its `store` key, and whose exports are all `exported`. */
export const openStore = (
  db: Database,
  config?: ProjectConfig['store'],
  exported?: unknown,
): Promise<Store> =>
  createStore({
    db,
    log: pino({ level: 'silent' }),
    env: {},
    project: {
      config: { graphs: {}, ...(config && { store: config }) },
      langgraph,
      import: () => Promise.resolve(exported),
    },
  });

export const item = (namespace: string[], key: string, value: ItemPut['value'] = {}): ItemPut => ({
  namespace,
  key,
  value,
});

export const search = (namespace_prefix: string[], more: Partial<ItemSearch> = {}): ItemSearch => ({
  namespace_prefix,
  limit: 10,
  offset: 0,
  ...more,
});

/** Keys of what a search finds, in order. */
export const keysFound = async (
  store: Store,
  prefix: string[],
  more: Partial<ItemSearch> = {},
): Promise<string[]> => (await store.search(search(prefix, more))).map(({ key }) => key);
