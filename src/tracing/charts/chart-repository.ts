import type { Queryable } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { Chart, ChartCreate, ChartPatch, Series } from './chart.ts';
import type { DrawnSeries } from './series-data.ts';

const COLUMNS = 'id, title, description, chart_type, index, section_id, metadata, series, common_filters';

/** Assigns missing series ids, which points refer to. */
export const identified = (series: Series[]): DrawnSeries[] =>
  series.map((one) => ({ ...one, id: one.id ?? uuid7() }));

export async function insertChart(db: Queryable, tenantId: string, chart: ChartCreate): Promise<Chart> {
  const { rows } = await db.query<Chart>(
    `insert into tracing.chart (id, tenant_id, section_id, title, description, chart_type, index, metadata, series, common_filters)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${COLUMNS}`,
    [
      uuid7(),
      tenantId,
      chart.section_id,
      chart.title,
      chart.description,
      chart.chart_type,
      chart.index,
      chart.metadata && JSON.stringify(chart.metadata),
      JSON.stringify(identified(chart.series)),
      chart.common_filters && JSON.stringify(chart.common_filters),
    ],
  );
  return rows[0]!;
}

/** Charts of one section or of all, in order. */
export async function listCharts(
  db: Queryable,
  tenantId: string,
  { id, sectionId }: { id?: string; sectionId?: string } = {},
): Promise<Chart[]> {
  const { rows } = await db.query<Chart>(
    `select ${COLUMNS} from tracing.chart
     where tenant_id = $1 and ($2::uuid is null or id = $2) and ($3::uuid is null or section_id = $3)
     order by index, created_at, id`,
    [tenantId, id, sectionId],
  );
  return rows;
}

/** Keeps fields that are not given. */
export async function updateChart(
  db: Queryable,
  tenantId: string,
  id: string,
  patch: ChartPatch,
): Promise<Chart | undefined> {
  const { rows } = await db.query<Chart>(
    `update tracing.chart set title = coalesce($3, title), description = coalesce($4, description),
       chart_type = coalesce($5, chart_type), index = coalesce($6, index), section_id = coalesce($7, section_id),
       metadata = coalesce($8, metadata), series = coalesce($9, series), common_filters = coalesce($10, common_filters)
     where tenant_id = $1 and id = $2 returning ${COLUMNS}`,
    [
      tenantId,
      id,
      patch.title,
      patch.description,
      patch.chart_type,
      patch.index,
      patch.section_id,
      patch.metadata && JSON.stringify(patch.metadata),
      patch.series && JSON.stringify(identified(patch.series)),
      patch.common_filters && JSON.stringify(patch.common_filters),
    ],
  );
  return rows[0];
}

export async function deleteChart(db: Queryable, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from tracing.chart where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ]);
  return rowCount === 1;
}
