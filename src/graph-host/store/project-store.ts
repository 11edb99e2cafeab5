import type { BaseStore, Item, Operation } from '@langchain/langgraph';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import type { Project } from '../project/project.ts';
import type { StoreItem, StoreOperation, StoreResult } from '../../graph-protocol/store-messages.ts';

/**
 * Loads the store at `store.path`, which replaces ours: a `BaseStore`, or a function that returns one. It handles TTL
 * and indexing itself. Throws InvalidProject.
 */
export async function loadProjectStore(project: Pick<Project, 'import'>, path: string): Promise<BaseStore> {
  const exported = await project.import('store.path', path);
  const store = (await (typeof exported === 'function' ? exported() : exported)) as
    Partial<BaseStore> | undefined;
  if (typeof store?.batch !== 'function')
    throw new InvalidProject(`store.path: ${path} is not a store: it has no batch`);
  await store.start?.();
  return store as BaseStore;
}

/** Executes the server's operations on the project's store. */
export const runOnStore = (store: BaseStore, operations: StoreOperation[]): Promise<StoreResult[]> =>
  Promise.all(
    operations.map(async (operation) =>
      readResult(operation, (await store.batch([toGraphOperation(operation)]))[0]),
    ),
  );

function toGraphOperation(operation: StoreOperation): Operation {
  switch (operation.action) {
    case 'get':
      return { namespace: operation.namespace, key: operation.key };
    case 'delete':
      return { namespace: operation.namespace, key: operation.key, value: null };
    case 'put': {
      const { action: _, index, ...put } = operation;
      return { ...put, ...(index !== null && index !== undefined && { index }) };
    }
    case 'search': {
      const { namespace_prefix: namespacePrefix, filter, query, limit, offset } = operation;
      return { namespacePrefix, filter, query, limit, offset };
    }
    case 'list_namespaces': {
      const { matches, max_depth, limit, offset } = operation;
      const matchConditions = matches.map(({ type, path }) => ({ matchType: type, path: [...path] }));
      return { matchConditions, limit, offset, ...(max_depth !== undefined && { maxDepth: max_depth }) };
    }
  }
}

function readResult({ action }: StoreOperation, result: unknown): StoreResult {
  if (action === 'get') return result ? toItem(result as Item) : null;
  if (action === 'search') {
    return (result as (Item & { score?: number })[]).map((item) => ({
      ...toItem(item),
      score: item.score ?? null,
    }));
  }
  return action === 'list_namespaces' ? (result as string[][]) : undefined;
}

const toItem = ({ namespace, key, value, createdAt, updatedAt }: Item): StoreItem => ({
  namespace,
  key,
  value,
  created_at: wireTime(createdAt),
  updated_at: wireTime(updatedAt),
});

const wireTime = (date: Date): string => new Date(date).toISOString().replace('Z', '000+00:00');
