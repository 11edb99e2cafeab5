import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { post } from './http.ts';

export type Metric =
  | 'run_count'
  | 'error_rate'
  | 'latency_p50'
  | 'latency_p95'
  | 'latency_p99'
  | 'first_token_p50'
  | 'first_token_p95'
  | 'first_token_p99'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'total_tokens'
  | 'total_cost';

export interface GroupBy {
  attribute: 'name' | 'run_type' | 'tag' | 'metadata' | 'project';
  path?: string;
  max_groups: number;
}

export interface Series {
  name: string;
  metric: Metric;
  filters?: { filter?: string; trace_filter?: string };
  group_by?: GroupBy;
}

/** Time range in ms and bucket size in minutes. */
export interface Buckets {
  from: number;
  until: number;
  minutes: number;
}

/** One value per bucket; null if there is none. */
export interface Line {
  name: string;
  values: (number | null)[];
}

export interface Drawn {
  /** Bucket start times, in s since 1970. */
  times: number[];
  lines: Line[];
}

interface Point {
  series_id: string;
  timestamp: string;
  value: number | null;
  group: string | null;
}

/** The most frequent tags since `from()`, which is evaluated on each fetch (POST /runs/stats). */
export const topTagsQuery = (
  key: unknown,
  {
    projects,
    from,
    most,
    enabled,
  }: { projects: string[]; from: () => number; most: number; enabled: boolean },
) =>
  queryOptions({
    queryKey: ['top-tags', key, projects, most],
    queryFn: async ({ signal }) => {
      const groups = await post<Record<string, unknown>>(
        '/runs/stats',
        {
          ...(projects.length > 0 && { session: projects }),
          is_root: true,
          start_time: new Date(from()).toISOString(),
          select: ['run_count'],
          group_by: { attribute: 'tag', max_groups: most },
        },
        { signal },
      );
      return Object.keys(groups).filter(Boolean);
    },
    enabled,
    staleTime: 60_000,
  });

/** Chart lines (POST /charts/preview). `cut` computes the buckets on each fetch, because the window moves. */
export const chartQuery = (
  key: unknown,
  { projects, series, cut }: { projects: string[]; series: Series[]; cut: () => Buckets },
) =>
  queryOptions({
    queryKey: ['chart', key, projects, series],
    queryFn: async ({ signal }): Promise<Drawn> => {
      const { from, until, minutes } = cut();
      const identified = series.map((one, index) => ({ ...one, id: placeId(index) }));
      const { data } = await post<{ data: Point[] }>(
        '/charts/preview',
        {
          bucket_info: {
            timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
            start_time: new Date(from).toISOString(),
            end_time: new Date(until).toISOString(),
            stride: { minutes },
          },
          chart: {
            series: identified,
            ...(projects.length > 0 && { common_filters: { session: projects } }),
          },
        },
        { signal },
      );
      return linesOf(
        data,
        identified.map(({ id, name }) => ({ id, name })),
      );
    },
    enabled: series.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    refetchInterval: 60_000,
  });

// Series ids in points must be UUIDs.
const placeId = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

function linesOf(points: Point[], series: { id: string; name: string }[]): Drawn {
  const times = [...new Set(points.map(({ timestamp }) => Date.parse(timestamp) / 1_000))].sort(
    (one, other) => one - other,
  );
  const place = new Map(times.map((time, index) => [time, index]));
  const lines = new Map<string, Line>();
  for (const { series_id, timestamp, value, group } of points) {
    const key = `${series_id} ${group}`;
    const name = group ?? series.find(({ id }) => id === series_id)?.name ?? '';
    const line = lines.get(key) ?? { name, values: times.map(() => null) };
    line.values[place.get(Date.parse(timestamp) / 1_000)!] = value;
    lines.set(key, line);
  }
  return { times, lines: [...lines.values()] };
}
