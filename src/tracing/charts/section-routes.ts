import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { uuid7 } from '../../platform/ids.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { type Chart, Section, SectionBody, SectionData, SectionNotFound } from './chart.ts';
import { drawCharts } from './chart-data.ts';
import { insertChart, listCharts } from './chart-repository.ts';
import { drawnRoutes } from './drawn-routes.ts';
import { deleteSection, insertSection, listSections, updateSection } from './section-repository.ts';

const tags = ['Charts'];
const all = { path: '/charts/section', tags };

/** Sections of charts (contract §1.13, Charts). */
export const sectionRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  return [
    defineRoute({
      ...all,
      method: 'get',
      operationId: 'listSections',
      summary: 'List sections without their charts',
      responses: { 200: Type.Array(Section) },
      handle: ({ ctx }) => listSections(db, callerOf(ctx).tenant_id),
    }),
    defineRoute({
      ...all,
      method: 'post',
      operationId: 'createSection',
      summary: 'Create a section',
      body: SectionBody,
      responses: { 200: Section },
      handle: ({ ctx, body }) => insertSection(db, callerOf(ctx).tenant_id, body),
    }),
    defineRoute({
      ...all,
      path: '/charts/section/clone',
      method: 'post',
      operationId: 'cloneSection',
      summary: 'Copy a section with its charts',
      body: Type.Object({ section_id: Uuid }),
      responses: { 200: Section, 404: Detail },
      async handle({ ctx, body: { section_id } }) {
        const { tenant_id } = callerOf(ctx);
        const [section] = await listSections(db, tenant_id, section_id);
        if (!section) throw new SectionNotFound(section_id);
        const { title, description, index } = section;
        const copy = await insertSection(db, tenant_id, {
          title: `${title} (copy)`,
          index,
          ...(description !== null && { description }),
        });
        for (const chart of await listCharts(db, tenant_id, { sectionId: section_id }))
          await insertChart(db, tenant_id, copied(chart, copy.id));
        return copy;
      },
    }),
    ...drawnRoutes({
      name: 'Section',
      path: '/charts/section',
      kept: Section,
      patch: SectionBody,
      data: SectionData,
      notFound: SectionNotFound,
      find: async (tenantId, id) => (await listSections(db, tenantId, id))[0],
      async draw(tenantId, section, bucket) {
        const charts = await listCharts(db, tenantId, { sectionId: section.id });
        return { ...section, charts: await drawCharts(deps, tenantId, charts, bucket) };
      },
      update: (tenantId, id, patch) => updateSection(db, tenantId, id, patch),
      remove: (tenantId, id) => deleteSection(db, tenantId, id),
    }),
  ];
};

/** The chart as a create request; its series get new ids. */
function copied(chart: Chart, section_id: string) {
  const { title, chart_type, index, description, metadata, common_filters } = chart;
  return {
    title,
    index,
    section_id,
    chart_type: chart_type as 'line',
    series: chart.series.map((series) => ({ ...series, id: uuid7() })),
    ...(description !== null && { description }),
    ...(metadata && { metadata }),
    ...(common_filters && { common_filters }),
  };
}
