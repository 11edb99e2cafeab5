import type { QueryDeps } from '../query/find-runs.ts';
import type { BucketInfo, Chart, ChartFilters, Point } from './chart.ts';
import { type DrawnSeries, seriesPoints } from './series-data.ts';

/** Adds the points of all series. `omit_data` leaves them empty. */
export async function drawChart<Drawn extends Pick<Chart, 'series' | 'common_filters'>>(
  deps: QueryDeps,
  tenantId: string,
  chart: Drawn,
  bucket: BucketInfo,
): Promise<Drawn & { data: Point[] }> {
  const data: Point[] = [];
  if (!bucket.omit_data)
    for (const series of chart.series)
      data.push(...(await seriesPoints(deps, tenantId, withChart(series, chart, bucket), bucket)));
  return { ...chart, data };
}

/** Sequential, because each query may take the full query timeout. */
export async function drawCharts<Kept extends Pick<Chart, 'series' | 'common_filters'>>(
  deps: QueryDeps,
  tenantId: string,
  charts: Kept[],
  bucket: BucketInfo,
): Promise<(Kept & { data: Point[] })[]> {
  const drawn = [];
  for (const chart of charts) drawn.push(await drawChart(deps, tenantId, chart, bucket));
  return drawn;
}

/** Applies the filters and grouping of the chart and the request to a series. */
function withChart(
  series: DrawnSeries,
  { common_filters }: Pick<Chart, 'common_filters'>,
  { group_by }: BucketInfo,
): DrawnSeries {
  const filters: ChartFilters = { ...common_filters, ...series.filters };
  for (const name of ['filter', 'trace_filter', 'tree_filter'] as const) {
    const both = [common_filters?.[name], series.filters?.[name]].filter(Boolean);
    if (both.length === 2) filters[name] = `and(${both.join(', ')})`;
  }
  const grouped = series.group_by ?? group_by;
  return { ...series, filters, ...(grouped && { group_by: grouped }) };
}
