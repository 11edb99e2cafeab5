import { queryOptions } from '@tanstack/react-query';
import { get, post, put, remove } from './http.ts';
import type { Run } from './tracing-records.ts';

export interface Share {
  run_id: string;
  share_token: string;
}

/** How a run is shared; null when it is not. */
export const shareQuery = (runId: string) => ({
  queryKey: ['share', runId],
  queryFn: ({ signal }: { signal: AbortSignal }) => get<Share | null>(`/runs/${runId}/share`, { signal }),
});

export const shareRun = (runId: string): Promise<Share> => put(`/runs/${runId}/share`, {});
export const unshareRun = (runId: string): Promise<void> => remove(`/runs/${runId}/share`);

const MOST_RUNS = 1_000;

/** The runs of a shared trace, for anyone who has the token. */
export const sharedTraceQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared', token],
    queryFn: async ({ signal }) => {
      const runs: Run[] = [];
      let cursor: string | undefined;
      do {
        const page = await post<{ runs: Run[]; cursors: { next: string | null } }>(
          `/public/${token}/runs/query`,
          { cursor },
          { signal },
        );
        runs.push(...page.runs);
        cursor = page.cursors.next ?? undefined;
      } while (cursor && runs.length < MOST_RUNS);
      return runs;
    },
    staleTime: Infinity,
  });
