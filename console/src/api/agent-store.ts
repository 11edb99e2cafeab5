import type { Item } from '@langchain/langgraph-sdk';
import { queryOptions } from '@tanstack/react-query';
import { agentPath } from './agent-assistants.ts';
import { post, put, request } from './http.ts';

const MAX_NAMESPACES = 1000;
export const ITEMS_PAGE = 50;

/** A stored item. Semantic searches add `score`. */
export interface ItemRecord extends Pick<Item, 'namespace' | 'key' | 'value'> {
  created_at: string;
  updated_at: string;
  score?: number | null;
}

export const namespacesQuery = (deploymentId: string) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'store', 'namespaces'],
    queryFn: async ({ signal }) =>
      (
        await post<{ namespaces: string[][] }>(
          `${agentPath(deploymentId)}/store/namespaces`,
          { limit: MAX_NAMESPACES },
          { signal },
        )
      ).namespaces,
  });

export interface ItemFilter {
  namespace_prefix: string[];
  query?: string;
  filter?: unknown;
  offset: number;
}

/** Fetches one item more than a page, to detect a next page. */
export const itemsQuery = (deploymentId: string, filter: ItemFilter) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'store', 'items', filter],
    queryFn: async ({ signal }) =>
      (
        await post<{ items: ItemRecord[] }>(
          `${agentPath(deploymentId)}/store/items/search`,
          // Viewing an item must not extend its lifetime.
          { ...filter, limit: ITEMS_PAGE + 1, refresh_ttl: false },
          { signal },
        )
      ).items,
  });

export const putItem = (
  deploymentId: string,
  item: Pick<ItemRecord, 'namespace' | 'key' | 'value'>,
): Promise<void> => put<void>(`${agentPath(deploymentId)}/store/items`, item);

export const removeItem = (
  deploymentId: string,
  { namespace, key }: Pick<ItemRecord, 'namespace' | 'key'>,
): Promise<void> =>
  request<void>('DELETE', `${agentPath(deploymentId)}/store/items`, { body: { namespace, key } });
