import type { BaseStore, Item, Operation } from '@langchain/langgraph';
import { passesFilter, type RowFilter } from '../../platform/db/row-filter.ts';
import { BadRequest } from '../../platform/errors.ts';
import { InvalidProject } from '../../agent-server/project/project-config.ts';
import type { Project } from '../project/project.ts';
import type { RunBatch } from '../../agent-server/store/store-batch.ts';
import { ItemNotFound } from '../../agent-server/store/store-errors.ts';
import { filteredFields, type FoundItem, type StoreItem } from '../../agent-server/store/store-item.ts';
import type { StoreOperation, StoreResult } from '../../agent-server/store/store-operation.ts';

/**
 * The store that `store.path` names instead of ours: a `BaseStore`, or a function that makes one. Ttl and index are
 * then its own affair. Throws InvalidProject.
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

/** Carries out our operations on a store of the project. */
export function projectStoreBatch(store: BaseStore): RunBatch {
  const run = async (operation: StoreOperation) =>
    readResult(operation, (await store.batch([toGraphOperation(operation)]))[0]);
  return (operations, reach) =>
    Promise.all(operations.map((operation) => (reach ? runWithin(run, operation, reach) : run(operation))));
}

type Run = (operation: StoreOperation) => Promise<StoreResult>;

/** The store knows nothing of filters: what it returns is filtered here. */
async function runWithin(run: Run, operation: StoreOperation, reach: RowFilter): Promise<StoreResult> {
  switch (operation.action) {
    case 'get': {
      const item = (await run(operation)) as StoreItem | null;
      if (item && !passesFilter(filteredFields(item), reach)) throw new ItemNotFound();
      return item;
    }
    case 'search':
      return scan<FoundItem>(run, operation, (item) => passesFilter(filteredFields(item), reach));
    case 'list_namespaces':
      return scan<string[]>(run, operation, (namespace) => passesFilter({ namespace }, reach));
    default:
      return run(operation);
  }
}

const SCAN_PAGE = 1_000;
const MOST_SCANNED = 10_000;

/** Throws BadRequest where too much would have to be read to fill the page. */
async function scan<Found>(
  run: Run,
  operation: StoreOperation & { action: 'search' | 'list_namespaces' },
  passes: (found: Found) => boolean,
): Promise<StoreResult> {
  const end = operation.offset + operation.limit;
  const passing: Found[] = [];
  for (let offset = 0; passing.length < end; offset += SCAN_PAGE) {
    if (offset === MOST_SCANNED)
      throw new BadRequest(`More than ${MOST_SCANNED} entries to filter; narrow the namespace or the filter`);
    const page = (await run({ ...operation, offset, limit: SCAN_PAGE })) as Found[];
    passing.push(...page.filter(passes));
    if (page.length < SCAN_PAGE) break;
  }
  return passing.slice(operation.offset, end) as StoreResult;
}

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
