import type { RunFilter } from '../../api/tracing-runs.ts';
import { useSearch } from '../../parts/use-search.ts';

export const RANGES: Record<string, { label: string; ms: number | undefined }> = {
  '15m': { label: 'Last 15 minutes', ms: 15 * 60_000 },
  '1h': { label: 'Last hour', ms: 3_600_000 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000 },
  '7d': { label: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { label: 'Last 30 days', ms: 30 * 86_400_000 },
  all: { label: 'All time', ms: undefined },
};
const DEFAULT_RANGE = '7d';
const NAMES = ['filter', 'range', 'type', 'errors', 'all', 'live', 'cursor'] as const;
type Name = (typeof NAMES)[number];

export interface RunFilters {
  filter: string;
  range: string;
  type: string;
  onlyErrors: boolean;
  /** Includes runs below roots. */
  allRuns: boolean;
  isLive: boolean;
  cursor: string | undefined;
  /** Whether any filter besides the time range is set. */
  isNarrow: boolean;
  /** Query key without the page. */
  key: string;
  toFilter(): RunFilter;
  /** Sets a filter and returns to the first page; an empty value removes it. */
  change(name: Name, value: string): void;
  clear(): void;
}

/** Filters of a project's runs, stored in the URL. */
export function useRunFilters(projectId: string): RunFilters {
  const [search, setSearch] = useSearch();
  const read = (name: Name): string => search.get(name) ?? '';
  const range = read('range') in RANGES ? read('range') : DEFAULT_RANGE;
  const [filter, type] = [read('filter'), read('type')];
  const [onlyErrors, allRuns] = [read('errors') === '1', read('all') === '1'];
  return {
    filter,
    range,
    type,
    onlyErrors,
    allRuns,
    isLive: read('live') === '1',
    cursor: read('cursor') || undefined,
    isNarrow: Boolean(filter || type || onlyErrors || range !== 'all'),
    key: JSON.stringify([projectId, filter, range, type, onlyErrors, allRuns]),
    toFilter() {
      const { ms } = RANGES[range]!;
      return {
        session: [projectId],
        ...(!allRuns && { is_root: true }),
        ...(type && { run_type: type }),
        ...(onlyErrors && { error: true }),
        ...(filter && { filter }),
        ...(ms !== undefined && { start_time: new Date(Date.now() - ms).toISOString() }),
      };
    },
    change: (name, value) =>
      setSearch((before) => {
        if (name !== 'cursor') before.delete('cursor');
        // Live updates only work on the first page.
        if (name === 'cursor' && value) before.delete('live');
        if (value && !(name === 'range' && value === DEFAULT_RANGE)) before.set(name, value);
        else before.delete(name);
        return before;
      }),
    clear: () =>
      setSearch((before) => {
        for (const name of NAMES) before.delete(name);
        before.set('range', 'all');
        return before;
      }),
  };
}
