import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { readMetadata } from '../request/query-lists.ts';
import { timeOf } from '../query/run-query-body.ts';
import { attachFeedback } from '../feedback/feedback-stats.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import {
  newProject,
  Project,
  ProjectCreate,
  ProjectNotFound,
  ProjectPatch,
  ProjectQuery,
  refuseTaken,
} from './project.ts';
import { deleteProjectOf } from './project-deletion.ts';
import { existingProjects } from './project-lock.ts';
import { findProject, insertProject, listProjects, updateProject } from './project-repository.ts';
import { facetsOfProject, statsOfProjects } from './project-stats.ts';

const tags = ['Projects'];
const one = { path: '/sessions/{session_id}', params: Type.Object({ session_id: Uuid }) };
const Message = Type.Object({ message: Type.String() });
const Stats = Type.Object({
  include_stats: Type.Boolean({ default: false }),
  stats_start_time: Type.Optional(Type.String()),
});

/** Projects, which group runs and also represent experiments (contract §1.12). */
export const projectRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  return [
    defineRoute({
      method: 'post',
      path: '/sessions',
      operationId: 'createProject',
      tags,
      summary: 'Create a project; with upsert, update an existing one',
      query: Type.Object({ upsert: Type.Boolean({ default: false }) }),
      body: ProjectCreate,
      responses: { 200: Project, 409: Detail },
      async handle({ ctx, query, body }) {
        const made = await insertProject(db, callerOf(ctx).tenant_id, newProject(body), query).catch(
          refuseTaken(body.name),
        );
        return made ?? refuseTaken(body.name)();
      },
    }),
    defineRoute({
      method: 'get',
      path: '/sessions',
      operationId: 'listProjects',
      tags,
      summary: 'List projects',
      query: ProjectQuery,
      responses: { 200: Type.Array(Project) },
      async handle({ ctx, query }) {
        const { tenant_id } = callerOf(ctx);
        if (query.sort_by === 'feedback' || query.sort_by_feedback_key) await attachFeedback(db, tenant_id);
        const projects = await listProjects(db, tenant_id, {
          ...query,
          metadata: readMetadata(query.metadata),
        });
        if (!query.include_stats) return projects;
        const stats = await statsOfProjects(
          deps,
          tenant_id,
          projects.map(({ id }) => id),
        );
        const counted = projects.map((project) => ({ ...project, ...stats.get(project.id) }));
        // Clients read a single project by listing by name.
        if (query.facets || counted.length === 1)
          for (const project of counted)
            Object.assign(project, { run_facets: await facetsOfProject(deps, tenant_id, project.id) });
        return counted;
      },
    }),
    defineRoute({
      ...one,
      method: 'get',
      operationId: 'readProject',
      tags,
      summary: 'Read a project',
      query: Stats,
      responses: { 200: Project, 404: Detail },
      async handle({ ctx, params: { session_id }, query }) {
        const { tenant_id } = callerOf(ctx);
        const project = await findProject(db, tenant_id, session_id);
        if (!project) throw new ProjectNotFound(session_id);
        if (!query.include_stats) return project;
        const options = { from: timeOf(query.stats_start_time, 'query.stats_start_time') };
        const [stats, run_facets] = await Promise.all([
          statsOfProjects(deps, tenant_id, [session_id], options),
          facetsOfProject(deps, tenant_id, session_id, options),
        ]);
        return { ...project, ...stats.get(session_id), run_facets };
      },
    }),
    defineRoute({
      ...one,
      method: 'patch',
      operationId: 'updateProject',
      tags,
      summary: 'Update a project; null fields stay, extra is merged',
      body: ProjectPatch,
      responses: { 200: Project, 404: Detail, 409: Detail },
      async handle({ ctx, params: { session_id }, body: { extra, ...body } }) {
        const project = await updateProject(
          db,
          callerOf(ctx).tenant_id,
          session_id,
          body,
          extra && { by: 'metadata', extra },
        ).catch(refuseTaken(body.name ?? ''));
        if (!project) throw new ProjectNotFound(session_id);
        return project;
      },
    }),
    defineRoute({
      ...one,
      method: 'delete',
      operationId: 'deleteProject',
      tags,
      summary: 'Delete a project; a workflow deletes its runs',
      responses: { 202: Message, 404: Detail, 503: Detail },
      async handle({ ctx, params: { session_id } }) {
        const { tenant_id } = callerOf(ctx);
        if (!(await findProject(db, tenant_id, session_id))) throw new ProjectNotFound(session_id);
        await deleteProjectOf(deps, { tenant_id, project_id: session_id });
        ctx.status = 202;
        return { message: 'Project deleted; its runs are being deleted' };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/sessions',
      operationId: 'deleteProjects',
      tags,
      summary: 'Delete several projects, ignoring missing ones',
      query: Type.Object({ session_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }) }),
      responses: { 202: Message, 503: Detail },
      async handle({ ctx, query }) {
        const { tenant_id } = callerOf(ctx);
        const there = await existingProjects(db, tenant_id, query.session_ids);
        for (const project_id of there) await deleteProjectOf(deps, { tenant_id, project_id });
        ctx.status = 202;
        return { message: `${there.size} projects deleted; their runs are being deleted` };
      },
    }),
  ];
};
