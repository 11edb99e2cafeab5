import type { BaseStore, Operation, OperationResults } from '@langchain/langgraph';
import type { LangGraphModule } from '../graphs/graph-engine.ts';
import type {
  FoundItem,
  StoreItem,
  StoreOperation,
  StoreResult,
} from '../../graph-protocol/store-messages.ts';

/** The store as graphs see it, derived from the project's own base class. */
export function createGraphStore(
  { BaseStore }: Pick<LangGraphModule, 'BaseStore'>,
  run: (operations: StoreOperation[]) => Promise<StoreResult[]>,
): BaseStore {
  class GraphStore extends BaseStore {
    override async batch<Operations extends Operation[]>(operations: Operations) {
      const results = await run(operations.map(readOperation));
      return results.map((result, i) =>
        toGraphResult(operations[i]!, result),
      ) as OperationResults<Operations>;
    }

    /** The store is part of configurations that are logged and traced. */
    toJSON() {
      return { store: '[SlipwayStore]' };
    }
  }
  return new GraphStore();
}

// Operations are distinguished by their keys in all versions of the base class.
function readOperation(operation: Operation): StoreOperation {
  if ('namespacePrefix' in operation) {
    const { namespacePrefix, filter, query, limit = 10, offset = 0 } = operation;
    return {
      action: 'search',
      namespace_prefix: namespacePrefix,
      limit,
      offset,
      ...defined({ filter, query }),
    };
  }
  if ('value' in operation) {
    const { namespace, key, value, index } = operation;
    if (value === null) return { action: 'delete', namespace, key };
    if (typeof value !== 'object' || Array.isArray(value))
      throw new TypeError('The value of a store item must be an object');
    return { action: 'put', namespace, key, value, ...defined({ index }) };
  }
  if ('key' in operation) return { action: 'get', namespace: operation.namespace, key: operation.key };
  const { matchConditions = [], maxDepth, limit, offset } = operation;
  const matches = matchConditions.map(({ matchType, path }) => ({ type: matchType, path }));
  return { action: 'list_namespaces', matches, max_depth: maxDepth, limit, offset };
}

/** Removes keys whose value is undefined or null, which both mean the default here. */
const defined = <T extends object>(object: T) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== null)) as {
    [Key in keyof T]: Exclude<T[Key], undefined | null>;
  };

function toGraphResult(operation: Operation, result: StoreResult): unknown {
  if ('namespacePrefix' in operation) return (result as FoundItem[]).map(toSearchItem);
  if ('key' in operation && !('value' in operation)) return result ? toGraphItem(result as StoreItem) : null;
  return 'value' in operation ? undefined : result;
}

const toGraphItem = ({ namespace, key, value, created_at, updated_at }: StoreItem) => ({
  value,
  key,
  namespace,
  createdAt: new Date(created_at),
  updatedAt: new Date(updated_at),
});

const toSearchItem = (item: FoundItem) => ({ ...toGraphItem(item), score: item.score ?? undefined });
