import { Type } from 'typebox';
import type { Queryable } from '../../platform/db/database.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import {
  BucketInfo,
  Chart,
  ChartCreate,
  ChartData,
  ChartFilters,
  ChartNotFound,
  ChartPatch,
  Point,
  SectionData,
  SectionNotFound,
  Series,
} from './chart.ts';
import { drawChart, drawCharts } from './chart-data.ts';
import { deleteChart, identified, insertChart, listCharts, updateChart } from './chart-repository.ts';
import { drawnRoutes } from './drawn-routes.ts';
import { listSections } from './section-repository.ts';

const tags = ['Charts'];
// Pseudo-section of charts without one.
const NO_SECTION = {
  id: '00000000-0000-0000-0000-000000000000',
  title: 'Charts',
  description: null,
  index: 0,
};

/** Charts over runs (contract §1.13, Charts). */
export const chartRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  return [
    defineRoute({
      method: 'post',
      path: '/charts',
      operationId: 'readCharts',
      tags,
      summary: 'List all charts with their points, by section',
      body: BucketInfo,
      responses: { 200: Type.Object({ sections: Type.Array(SectionData) }) },
      async handle({ ctx, body }) {
        const { tenant_id } = callerOf(ctx);
        const sections = await listSections(db, tenant_id);
        const drawn = await drawCharts(deps, tenant_id, await listCharts(db, tenant_id), body);
        const inNone = drawn.filter(({ section_id }) => section_id === null);
        return {
          sections: [
            ...(inNone.length > 0 ? [{ ...NO_SECTION, charts: inNone }] : []),
            ...sections.map((section) => ({
              ...section,
              charts: drawn.filter(({ section_id }) => section_id === section.id),
            })),
          ],
        };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/charts/create',
      operationId: 'createChart',
      tags,
      summary: 'Create a chart',
      body: ChartCreate,
      responses: { 200: Chart, 404: Detail },
      async handle({ ctx, body }) {
        const { tenant_id } = callerOf(ctx);
        await requireOwnSection(db, tenant_id, body.section_id);
        return insertChart(db, tenant_id, body);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/charts/preview',
      operationId: 'previewChart',
      tags,
      summary: 'Preview the points of an unsaved chart',
      body: Type.Object({
        bucket_info: BucketInfo,
        chart: Type.Object({
          series: Type.Array(Series, { minItems: 1, maxItems: 20 }),
          common_filters: Type.Optional(ChartFilters),
        }),
      }),
      responses: { 200: Type.Object({ data: Type.Array(Point) }) },
      async handle({ ctx, body: { bucket_info, chart } }) {
        const preview = { series: identified(chart.series), common_filters: chart.common_filters ?? null };
        const { data } = await drawChart(deps, callerOf(ctx).tenant_id, preview, bucket_info);
        return { data };
      },
    }),
    ...drawnRoutes({
      name: 'Chart',
      path: '/charts',
      kept: Chart,
      patch: ChartPatch,
      data: ChartData,
      notFound: ChartNotFound,
      find: async (tenantId, id) => (await listCharts(db, tenantId, { id }))[0],
      draw: (tenantId, chart, bucket) => drawChart(deps, tenantId, chart, bucket),
      async update(tenantId, id, patch) {
        await requireOwnSection(db, tenantId, patch.section_id);
        return updateChart(db, tenantId, id, patch);
      },
      remove: (tenantId, id) => deleteChart(db, tenantId, id),
    }),
  ];
};

/** Throws SectionNotFound, also for another tenant's section. */
async function requireOwnSection(db: Queryable, tenantId: string, id: string | undefined): Promise<void> {
  if (id && (await listSections(db, tenantId, id)).length === 0) throw new SectionNotFound(id);
}
