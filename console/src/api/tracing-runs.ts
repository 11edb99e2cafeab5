import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, post } from './http.ts';
import { readTraceRows, ROW } from './trace-rows.ts';
import type { ProjectStats, Run, RunPage } from './tracing-records.ts';

/** Filter on runs (POST /runs/query). */
export interface RunFilter {
  session: string[];
  is_root?: boolean;
  run_type?: string;
  error?: boolean;
  filter?: string;
  /** ISO 8601. */
  start_time?: string;
}

const SUMMARY = [...ROW, 'error', 'inputs_preview', 'outputs_preview', 'tags', 'feedback_stats'];
const PAGE = 50;
const LIVE_MS = 2_000;

/** A page of runs, newest first. `toFilter` builds the filter on each fetch, because its time window moves. */
export const runPageQuery = (
  toFilter: () => RunFilter,
  { key, cursor, isLive }: { key: unknown; cursor: string | undefined; isLive: boolean },
) =>
  queryOptions({
    queryKey: ['runs', key, cursor],
    queryFn: ({ signal }) =>
      post<RunPage>('/runs/query', { ...toFilter(), select: SUMMARY, limit: PAGE, cursor }, { signal }),
    placeholderData: keepPreviousData,
    ...(isLive && { refetchInterval: LIVE_MS, staleTime: 0 }),
  });

/** Statistics of all runs that match a filter (POST /runs/stats). */
export const runStatsQuery = (toFilter: () => RunFilter, key: unknown) =>
  queryOptions({
    queryKey: ['run-stats', key],
    queryFn: ({ signal }) => post<ProjectStats>('/runs/stats', toFilter(), { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });

/** All runs of a trace without inputs and outputs. One request, except for the largest traces. */
export const traceQuery = (traceId: string) =>
  queryOptions({
    queryKey: ['trace', traceId],
    queryFn: ({ signal }) =>
      readTraceRows((cursor) =>
        post<RunPage>('/runs/query', { trace: traceId, select: ROW, order: 'asc', cursor }, { signal }),
      ),
    // Polls until all runs have ended.
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ status }) => status === 'pending') ? LIVE_MS : false,
  });

/** A complete run (GET /runs/{id}). */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }) => get<Run>(`/runs/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? LIVE_MS : false),
  });
