import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, post, put, remove } from './http.ts';
import type { Run, RunPage } from './tracing-records.ts';
import { readTraceRows, ROW } from './trace-rows.ts';

// Runs per page of a trace, read without inputs and outputs.
const MAX_ROWS = 1_000;

export interface Share {
  run_id: string;
  share_token: string;
}

/** The share of a run; null if not shared. */
export const shareQuery = (runId: string) => ({
  queryKey: ['share', runId],
  queryFn: ({ signal }: { signal: AbortSignal }) => get<Share | null>(`/runs/${runId}/share`, { signal }),
});

export const shareRun = (runId: string): Promise<Share> => put(`/runs/${runId}/share`, {});
export const unshareRun = (runId: string): Promise<void> => remove(`/runs/${runId}/share`);

/** All runs of a shared trace without inputs and outputs, by token. */
export const sharedTraceQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared', token],
    queryFn: ({ signal }) =>
      readTraceRows((cursor) =>
        post<RunPage>(`/public/${token}/runs/query`, { select: ROW, limit: MAX_ROWS, cursor }, { signal }),
      ),
    staleTime: Infinity,
  });

/** A complete run of a shared trace (GET /public/{token}/run/{id}). */
export const sharedRunQuery = (token: string, id: string) =>
  queryOptions({
    queryKey: ['shared', token, id],
    queryFn: ({ signal }) => get<Run>(`/public/${token}/run/${id}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
