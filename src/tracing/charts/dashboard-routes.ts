import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { seededUuid } from '../../platform/ids.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { findProject } from '../projects/project-repository.ts';
import { ProjectNotFound } from '../projects/project.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { BucketInfo, SectionData } from './chart.ts';
import { drawCharts } from './chart-data.ts';
import type { Metric } from './metrics.ts';

// Charts of the built-in dashboard.
const CHARTS: Record<string, Metric[]> = {
  Runs: ['run_count'],
  Latency: ['latency_p50', 'latency_p95', 'latency_p99'],
  'Error rate': ['error_rate'],
  'Time to first token': ['first_token_p50', 'first_token_p95', 'first_token_p99'],
  Tokens: ['total_tokens', 'prompt_tokens', 'completion_tokens'],
  Cost: ['total_cost', 'prompt_cost', 'completion_cost'],
};

/** The built-in dashboard of each project (contract §1.12). */
export const dashboardRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  return [
    defineRoute({
      method: 'post',
      path: '/sessions/{session_id}/dashboard',
      params: Type.Object({ session_id: Uuid }),
      operationId: 'readDashboard',
      tags: ['Charts'],
      summary: 'Read the dashboard of a project',
      body: BucketInfo,
      responses: { 200: SectionData, 404: Detail },
      async handle({ ctx, params: { session_id }, body }) {
        const { tenant_id } = callerOf(ctx);
        const project = await findProject(db, tenant_id, session_id);
        if (!project) throw new ProjectNotFound(session_id);
        const charts = Object.entries(CHARTS).map(([title, metrics], index) => {
          const id = seededUuid(`${session_id}/${title}`);
          const series = metrics.map((metric) => ({
            id: seededUuid(`${id}/${metric}`),
            name: metric,
            metric,
          }));
          return { ...UNKEPT, id, title, index, series, common_filters: { session: [session_id] } };
        });
        return {
          id: session_id,
          title: project.name,
          description: project.description,
          index: 0,
          charts: await drawCharts(deps, tenant_id, charts, body),
        };
      },
    }),
  ];
};

const UNKEPT = { description: null, chart_type: 'line', section_id: null, metadata: null };
