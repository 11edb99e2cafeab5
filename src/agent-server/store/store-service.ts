import type { BaseStore } from '@langchain/langgraph';
import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import type { Project } from '../graphs/project.ts';
import { createEmbedder } from './embeddings.ts';
import { createGraphStore } from './graph-store.ts';
import { loadProjectStore, projectStoreBatch } from './project-store.ts';
import { type RunBatch, storeBatch } from './store-batch.ts';
import { EmptyNamespace } from './store-errors.ts';
import type {
  FoundItem,
  ItemGet,
  ItemName,
  ItemPut,
  ItemSearch,
  NamespaceList,
  StoreItem,
} from './store-item.ts';
import { checkItemName, checkLabels } from './store-namespace.ts';
import type { StoreIndex } from './store-operation.ts';
import { chooseVectorMath } from './vector-math.ts';

/**
 * The key-value store of an agent server. All methods throw EmptyNamespace or InvalidNamespace for names that
 * cannot be, InvalidRequest for a filter that says nothing, and the errors of the embedding where there is one.
 */
export interface Store {
  put(item: ItemPut): Promise<void>;
  /** Null for an item that does not exist or whose time is over. */
  get(item: ItemGet): Promise<StoreItem | null>;
  /** Does nothing where there is no such item. */
  delete(item: ItemName): Promise<void>;
  /** By similarity where there is a query and an index, otherwise the latest change first. */
  search(request: ItemSearch): Promise<FoundItem[]>;
  listNamespaces(request: NamespaceList): Promise<string[][]>;
  /** What graphs reach as `config.store`. */
  readonly forGraph: BaseStore;
}

export interface StoreOptions {
  db: Database;
  project: Pick<Project, 'config' | 'langgraph' | 'import'>;
  log: Logger;
  /** Where embedding providers find their keys and addresses. */
  env: Record<string, string | undefined>;
}

/** The store the project's `store` key describes. Throws InvalidProject where it cannot be. */
export async function createStore(options: StoreOptions): Promise<Store> {
  const { db, project } = options;
  const { ttl, path } = project.config.store ?? {};
  if (path !== undefined) {
    const own = await loadProjectStore(project, path);
    return facade(projectStoreBatch(own), own);
  }
  const index = await createIndex(options);
  const run = storeBatch({
    db,
    index,
    defaultTtl: ttl?.default_ttl,
    refreshOnRead: ttl?.refresh_on_read ?? true,
  });
  return facade(run, createGraphStore(project.langgraph, run));
}

async function createIndex({ db, project, log, env }: StoreOptions): Promise<StoreIndex | undefined> {
  const config = project.config.store?.index;
  if (!config) return undefined;
  const [embedder, math] = await Promise.all([
    createEmbedder(config, { project, env, log }),
    chooseVectorMath(db, log),
  ]);
  return { embedder, fields: config.fields ?? ['$'], math };
}

function facade(run: RunBatch, forGraph: BaseStore): Store {
  return {
    forGraph,
    async put(item) {
      checkItemName(item.namespace, item.key);
      await run([{ action: 'put', ...item }]);
    },
    async get(item) {
      checkNamed(item);
      const [found] = await run([{ action: 'get', ...item }]);
      return found as StoreItem | null;
    },
    async delete(item) {
      checkNamed(item);
      await run([{ action: 'delete', ...item }]);
    },
    async search(request) {
      checkLabels(request.namespace_prefix);
      const [found] = await run([{ action: 'search', ...request }]);
      return found as FoundItem[];
    },
    async listNamespaces({ prefix = [], suffix = [], max_depth, limit, offset }) {
      checkLabels([...prefix, ...suffix]);
      const matches = [
        { type: 'prefix' as const, path: prefix },
        { type: 'suffix' as const, path: suffix },
      ];
      const [found] = await run([{ action: 'list_namespaces', matches, max_depth, limit, offset }]);
      return found as string[][];
    },
  };
}

function checkNamed({ namespace }: ItemName): void {
  if (namespace.length === 0) throw new EmptyNamespace();
  checkLabels(namespace);
}
