import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Clearable, Detail, JsonObject, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { readOffset, writeOffset } from '../query/offset-cursor.ts';
import { attachFeedback } from '../feedback/feedback-stats.ts';
import { agentProject, EVALUATORS } from '../projects/agent-address.ts';
import { newProject, ProjectCreate, ProjectNotFound, refuseTaken } from '../projects/project.ts';
import * as repository from '../projects/project-repository.ts';
import { facetsOfProject, type StatsOptions, statsOfProjects } from '../projects/project-stats.ts';
import { conditionOf, timeOf } from '../query/run-query-body.ts';
import { readMetadata } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { MAX_PER_PAGE } from './v2-request.ts';
import { Items } from './v2-runs-routes.ts';
import { tierOf, V2_TIERS, v2Session } from './v2-session.ts';

const tags = ['Projects (v2)'];
const path = '/api/v2/sessions';
const one = { path: `${path}/{session_id}`, tags, params: Type.Object({ session_id: Uuid }) };
const optional = Type.Optional;
const TYPES = ['PROJECT', 'AGENT', 'EXPERIMENT'] as const;
const SORTS = 'NAME START_TIME LAST_RUN_START_TIME ERROR_RATE LATENCY_P50 LATENCY_P99 FEEDBACK'.split(' ');
const { trace_tier: _tier, ...Created } = ProjectCreate.properties;

const List = Type.Object({
  id: optional(Type.Array(Uuid, { maxItems: 1_000 })),
  cursor: optional(Type.String()),
  dataset_version: optional(Type.String()),
  filter: optional(Type.String({ maxLength: 65_536 })),
  include_facets: Type.Boolean({ default: false }),
  include_stats: Type.Boolean({ default: false }),
  metadata: optional(Type.String()),
  name: optional(Type.String()),
  name_contains: optional(Type.String()),
  page_size: Type.Integer({ minimum: 1, default: MAX_PER_PAGE }),
  reference_dataset_id: optional(Type.Array(Uuid, { maxItems: 1_000 })),
  sort_by: StringEnum(SORTS, { default: 'START_TIME' }),
  sort_by_feedback_key: optional(Type.String({ maxLength: 1_000 })),
  sort_by_feedback_source: StringEnum(['RUN', 'SESSION'], { default: 'RUN' }),
  sort_order: StringEnum(['asc', 'desc'], { default: 'desc' }),
  stats_filter: optional(Type.String({ maxLength: 65_536 })),
  stats_select: optional(Type.Array(Type.String(), { maxItems: 100 })),
  stats_start_time: optional(Type.String()),
  tag_value_id: optional(Type.Array(Uuid, { maxItems: 100 })),
  type: optional(Type.Array(StringEnum(TYPES))),
});

/** Projects and experiments in version 2 of the API (contract §1.14). */
export const v2SessionsRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'listProjectsV2',
      tags,
      summary: 'Projects and experiments, page by page',
      query: List,
      responses: { 200: Items },
      handle: async ({
        ctx,
        query: { cursor, page_size, sort_order, type, reference_dataset_id, ...query },
      }) => {
        const { tenant_id } = callerOf(ctx);
        if (query.sort_by === 'FEEDBACK' || query.sort_by_feedback_key) await attachFeedback(db, tenant_id);
        const offset = cursor ? readOffset(cursor) : 0;
        const limit = Math.min(page_size, MAX_PER_PAGE);
        const kinds = new Set(type ?? TYPES);
        const found = await repository.listProjects(db, tenant_id, {
          ...query,
          metadata: readMetadata(query.metadata),
          ...(reference_dataset_id && { reference_dataset: reference_dataset_id }),
          // Projects of agents count as ordinary projects.
          ...(kinds.has('PROJECT') !== kinds.has('EXPERIMENT') && { reference_free: kinds.has('PROJECT') }),
          ...(!kinds.has('PROJECT') && !kinds.has('EXPERIMENT') && { id: [] }),
          sort_by: query.sort_by.toLowerCase() as 'start_time',
          sort_by_desc: sort_order === 'desc',
          feedback_of: query.sort_by_feedback_source === 'SESSION' ? 'session' : 'run',
          limit: limit + 1,
          offset,
        });
        const page = found.slice(0, limit);
        const ids = page.map(({ id }) => id);
        const asked: StatsOptions = {
          from: timeOf(query.stats_start_time, 'query.stats_start_time'),
          filter: conditionOf(query.stats_filter),
          select: query.stats_select?.map((name) => name.toLowerCase()),
        };
        const stats = query.include_stats ? await statsOfProjects(deps, tenant_id, ids, asked) : undefined;
        if (query.include_facets)
          for (const [id, of] of stats ?? [])
            of['run_facets'] = await facetsOfProject(deps, tenant_id, id, asked);
        return {
          items: page.map((project) => v2Session(project, stats?.get(project.id))),
          next_cursor: found.length > limit ? writeOffset(offset + limit) : null,
        };
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'createProjectV2',
      tags,
      summary: 'Create a project; with upsert, update an existing one',
      query: Type.Object({ upsert: Type.Boolean({ default: false }) }),
      body: Type.Object({ ...Created, trace_tier: optional(StringEnum(V2_TIERS)) }),
      responses: { 200: JsonObject, 409: Detail },
      handle: async ({ ctx, query, body: { trace_tier, ...body } }) => {
        const project = newProject({ ...body, ...(trace_tier && { trace_tier: tierOf(trace_tier) }) });
        const { tenant_id } = callerOf(ctx);
        const made = await repository
          .insertProject(db, tenant_id, project, query)
          .catch(refuseTaken(body.name));
        return v2Session(made ?? refuseTaken(body.name)());
      },
    }),
    defineRoute({
      ...one,
      method: 'get',
      operationId: 'readProjectV2',
      summary: 'Read a project or experiment',
      query: Type.Object({
        include_stats: Type.Boolean({ default: false }),
        stats_start_time: optional(Type.String()),
      }),
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { session_id }, query }) => {
        const { tenant_id } = callerOf(ctx);
        const project = await repository.findProject(db, tenant_id, session_id);
        if (!project) throw new ProjectNotFound(session_id);
        const asked = { from: timeOf(query.stats_start_time, 'query.stats_start_time') };
        const stats = query.include_stats
          ? await statsOfProjects(deps, tenant_id, [session_id], asked)
          : undefined;
        return v2Session(project, stats?.get(session_id));
      },
    }),
    defineRoute({
      ...one,
      method: 'patch',
      operationId: 'updateProjectV2',
      summary: 'Update a project; null clears a field, extra is merged by key',
      body: Type.Object({
        name: Created.name && optional(Created.name),
        description: Clearable(Type.String()),
        default_dataset_id: Clearable(Uuid),
        end_time: Clearable(Timestamp),
        extra: Clearable(JsonObject),
        longlived_ttl_days: Created.longlived_ttl_days,
        trace_tier: optional(StringEnum(V2_TIERS)),
      }),
      responses: { 200: JsonObject, 404: Detail, 409: Detail },
      handle: async ({ ctx, params: { session_id }, body: { trace_tier, extra, ...body } }) => {
        const project = await repository
          .updateProject(
            db,
            callerOf(ctx).tenant_id,
            session_id,
            { ...body, ...(trace_tier && { trace_tier: tierOf(trace_tier) }) },
            extra === undefined ? undefined : { by: 'key', extra },
          )
          .catch(refuseTaken(body.name ?? ''));
        if (!project) throw new ProjectNotFound(session_id);
        return v2Session(project);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/sessions/resolutions',
      operationId: 'resolveAddress',
      tags,
      summary: 'Resolve an address to a project',
      query: Type.Object({
        kind: Type.String(),
        id: optional(Type.String({ maxLength: 100 })),
        environment: optional(Type.String({ maxLength: 100 })),
      }),
      responses: { 200: Type.Object({ session_id: Uuid }), 404: Detail },
      handle: async ({ ctx, query: { kind, id = '', environment = '' } }) => {
        const { tenant_id } = callerOf(ctx);
        const isExperiment = kind.toUpperCase() === 'EXPERIMENT';
        const name = kind.toUpperCase() === 'EVALUATOR' ? EVALUATORS : agentProject(id, environment);
        const project = isExperiment
          ? await repository.findExperiment(db, tenant_id, id)
          : await repository.findProjectNamed(db, tenant_id, name);
        if (!project) throw new ProjectNotFound(id || name);
        return { session_id: project };
      },
    }),
  ];
};
