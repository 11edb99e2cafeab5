import * as langgraph from '@langchain/langgraph';
import { pino } from 'pino';
import type { ProjectConfig } from '../../src/graph-protocol/project-schema.ts';
import type { ItemPut, ItemSearch } from '../../src/agent-server/store/store-item.ts';
import { createStore, type Store } from '../../src/agent-server/store/store-service.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { localHosts } from './local-hosts.ts';

export interface OpenStore extends Store {
  /** The project's graphs see it as `config.store`. */
  forGraph: langgraph.BaseStore;
}

/** The store of a project with `config` as its `store` key and `exported` as every export. */
export const openStore = async (
  db: Database,
  config?: ProjectConfig['store'],
  exported?: unknown,
): Promise<OpenStore> => {
  const project: { config: ProjectConfig } = { config: { graphs: {}, ...(config && { store: config }) } };
  let store: Store | undefined;
  const { hosts, host } = await localHosts({
    ...project,
    exported: () => exported,
    services: () => ({ runStore: (operations) => store!.run(operations), answerFetch: async () => {} }),
  });
  store = await createStore({ db, log: pino({ level: 'silent' }), project, hosts });
  return { ...store, forGraph: host.store.of(langgraph) };
};

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
