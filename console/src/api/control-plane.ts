import { queryOptions } from '@tanstack/react-query';
import { get } from './http.ts';
import type { Deployment, Page } from './control-plane-records.ts';

const PAGE = 100;

/** Every deployment of the workspace, page by page (GET /v2/deployments). */
export const deploymentsQuery = queryOptions({
  queryKey: ['deployments'],
  queryFn: async ({ signal }) => {
    const all: Deployment[] = [];
    for (;;) {
      const { resources } = await get<Page<Deployment>>('/v2/deployments', {
        query: { limit: PAGE, offset: all.length },
        signal,
      });
      all.push(...resources);
      if (resources.length < PAGE) return all;
    }
  },
  refetchInterval: 5_000,
});
