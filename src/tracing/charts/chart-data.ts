import type { Queryable } from '../../platform/db/database.ts';
import type { BucketInfo, Chart, ChartFilters, Point } from './chart.ts';
import { type DrawnSeries, seriesPoints } from './series-data.ts';

/** A chart with the points of its series, one series after another; without any where none are asked for. */
export async function drawChart<Drawn extends Pick<Chart, 'series' | 'common_filters'>>(
  db: Queryable,
  tenantId: string,
  chart: Drawn,
  bucket: BucketInfo,
): Promise<Drawn & { data: Point[] }> {
  const data: Point[] = [];
  if (!bucket.omit_data)
    for (const series of chart.series)
      data.push(...(await seriesPoints(db, tenantId, withChart(series, chart, bucket), bucket)));
  return { ...chart, data };
}

/** What a series does not say itself, its chart and the request do. */
function withChart(
  series: DrawnSeries,
  { common_filters }: Pick<Chart, 'common_filters'>,
  { group_by }: BucketInfo,
): DrawnSeries {
  const filters: ChartFilters = { ...common_filters, ...series.filters };
  const grouped = series.group_by ?? group_by;
  return { ...series, filters, ...(grouped && { group_by: grouped }) };
}
