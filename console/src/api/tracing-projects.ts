import { queryOptions } from '@tanstack/react-query';
import { get } from './http.ts';
import { readAll } from './read-all.ts';
import type { Project, ProjectStats } from './tracing-records.ts';

const projects = <Found extends Project>(name: string, withStats: boolean) => ({
  // Experiments are projects too, but are shown with their datasets.
  queryKey: ['projects', name, withStats],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    readAll((page) =>
      get<Found[]>('/sessions', {
        query: { reference_free: true, include_stats: withStats, name_contains: name, ...page },
        signal,
      }),
    ),
});

/** Projects by name substring, newest first (GET /sessions). */
export const projectsQuery = (name = '') => queryOptions(projects<Project>(name, false));

/** The same with statistics, which are slower to compute. */
export const projectStatsQuery = (name = '') =>
  queryOptions({ ...projects<Project & ProjectStats>(name, true), refetchInterval: 15_000 });

export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id],
    queryFn: ({ signal }) => get<Project>(`/sessions/${id}`, { signal }),
    staleTime: 60_000,
  });
