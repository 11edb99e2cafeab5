import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import { passesFilter, type RowFilter } from '../../platform/db/row-filter.ts';
import { Forbidden } from '../refusal.ts';
import type { StoreOperation, StoreResult } from '../../graph-protocol/store-messages.ts';
import type { AgentProject } from '../hosts/agent-project.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';
import { hostEmbedder } from './embedder.ts';
import { projectStoreBatch } from './project-store.ts';
import { type RunBatch, storeBatch } from './store-batch.ts';
import { EmptyNamespace } from './store-errors.ts';
import {
  filteredFields,
  type FoundItem,
  type ItemGet,
  type ItemName,
  type ItemPut,
  type ItemSearch,
  type NamespaceList,
  type StoreItem,
} from './store-item.ts';
import { checkItemName, checkLabels } from './store-namespace.ts';
import type { StoreIndex } from './store-operation.ts';
import { chooseVectorMath } from './vector-math.ts';

/**
 * The key-value store of an agent server. All methods throw EmptyNamespace or InvalidNamespace for invalid names,
 * InvalidRequest for an unusable filter, and the embedding's errors if there is one. With `reach`, items that don't
 * pass are hidden: naming one throws ItemNotFound. Writing an item that wouldn't pass throws Forbidden, and so does
 * deleting a missing item that couldn't pass.
 */
export interface Store {
  put(item: ItemPut, reach?: RowFilter): Promise<void>;
  /** Null for a missing or expired item. */
  get(item: ItemGet, reach?: RowFilter): Promise<StoreItem | null>;
  /** Does nothing if the item doesn't exist. */
  delete(item: ItemName, reach?: RowFilter): Promise<void>;
  /** Sorted by similarity if there is a query and an index, otherwise most recently updated first. */
  search(request: ItemSearch, reach?: RowFilter): Promise<FoundItem[]>;
  listNamespaces(request: NamespaceList, reach?: RowFilter): Promise<string[][]>;
  /** Runs operations from graphs. Throws EmptyNamespace, InvalidNamespace. */
  run(operations: StoreOperation[]): Promise<StoreResult[]>;
}

export interface StoreOptions {
  db: Database;
  project: Pick<AgentProject, 'config'>;
  hosts: GraphHosts;
  log: Logger;
}

/** Creates the store that the project's `store` key configures. */
export async function createStore(options: StoreOptions): Promise<Store> {
  const { db, project, hosts } = options;
  const { ttl, path } = project.config.store ?? {};
  if (path !== undefined) {
    return facade(projectStoreBatch((operations) => hosts.call('store.batch', { operations })));
  }
  const index = await createIndex(options);
  const run = storeBatch({
    db,
    index,
    defaultTtl: ttl?.default_ttl,
    refreshOnRead: ttl?.refresh_on_read ?? true,
  });
  return facade(run);
}

async function createIndex({ db, project, hosts, log }: StoreOptions): Promise<StoreIndex | undefined> {
  const config = project.config.store?.index;
  if (!config) return undefined;
  const math = await chooseVectorMath(db, log);
  return { embedder: hostEmbedder(hosts, config), fields: config.fields ?? ['$'], math };
}

function facade(run: RunBatch): Store {
  /** The item to write; throws ItemNotFound if it exists but the caller can't access it. */
  const findWritable = async ({ namespace, key }: ItemName, reach: RowFilter) => {
    const [found] = await run([{ action: 'get', namespace, key, refresh_ttl: false }], reach);
    return found;
  };
  return {
    async run(operations) {
      for (const operation of operations)
        if (operation.action === 'put') checkItemName(operation.namespace, operation.key);
      return run(operations);
    },
    async put(item, reach) {
      checkItemName(item.namespace, item.key);
      if (reach) await findWritable(item, reach);
      if (!passesFilter(filteredFields(item), reach)) throw new Forbidden();
      await run([{ action: 'put', ...item }], reach);
    },
    async get(item, reach) {
      checkNamed(item);
      const [found] = await run([{ action: 'get', ...item }], reach);
      return found as StoreItem | null;
    },
    async delete(item, reach) {
      checkNamed(item);
      const missing = reach && !(await findWritable(item, reach));
      if (missing && !passesFilter(filteredFields(item), reach)) throw new Forbidden();
      await run([{ action: 'delete', ...item }], reach);
    },
    async search(request, reach) {
      checkLabels(request.namespace_prefix);
      const [found] = await run([{ action: 'search', ...request }], reach);
      return found as FoundItem[];
    },
    async listNamespaces({ prefix = [], suffix = [], max_depth, limit, offset }, reach) {
      checkLabels([...prefix, ...suffix]);
      const matches = [
        { type: 'prefix' as const, path: prefix },
        { type: 'suffix' as const, path: suffix },
      ];
      const [found] = await run([{ action: 'list_namespaces', matches, max_depth, limit, offset }], reach);
      return found as string[][];
    },
  };
}

function checkNamed({ namespace }: ItemName): void {
  if (namespace.length === 0) throw new EmptyNamespace();
  checkLabels(namespace);
}
