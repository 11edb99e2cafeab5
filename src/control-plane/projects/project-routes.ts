import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { Deployment, DeploymentCreate } from '../records/deployment.ts';
import { listDeployments } from '../records/deployment-repository.ts';
import { createDeployment, removeDeployment, requireDeployment } from '../deployments/deployment-service.ts';
import { deploymentView } from '../deployments/deployment-view.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { PageQuery, Refusals } from '../wire.ts';

const ProjectPath = Type.Object({ project_id: Uuid });

/** The older API for deployments (contract §1.2): a project's id is its deployment's, and lists are plain arrays. */
export const projectRoutes = (deps: ControlPlaneDeps, prefix: string, vocabulary: Vocabulary): Route[] => {
  const route = { tags: ['Projects (v1)'], hidden: prefix !== '' };
  const path = `${prefix}/v1/projects`;
  const one = `${path}/{project_id}`;
  const project = (row: Parameters<typeof deploymentView>[0]) => deploymentView(row, vocabulary, deps.box);
  return [
    defineRoute({
      ...route,
      method: 'get',
      path,
      operationId: 'listProjects',
      summary: 'List projects, newest first',
      query: Type.Object({ ...PageQuery.properties, name_contains: Type.Optional(Type.String()) }),
      responses: { 200: Type.Array(Deployment), ...Refusals },
      handle: async ({ query, ctx }) =>
        (await listDeployments(deps.db, principalOf(ctx).tenant_id, query)).map(project),
    }),
    defineRoute({
      ...route,
      method: 'post',
      path,
      operationId: 'createProject',
      summary: 'Create a project',
      body: DeploymentCreate,
      responses: { 201: Deployment, ...Refusals },
      async handle({ body, ctx }) {
        const created = await createDeployment(deps, principalOf(ctx), body);
        ctx.status = 201;
        return project(created);
      },
    }),
    defineRoute({
      ...route,
      method: 'get',
      path: one,
      operationId: 'getProject',
      summary: 'Get a project',
      params: ProjectPath,
      responses: { 200: Deployment, ...Refusals },
      handle: async ({ params: { project_id }, ctx }) =>
        project(await requireDeployment(deps.db, principalOf(ctx), project_id)),
    }),
    defineRoute({
      ...route,
      method: 'delete',
      path: one,
      operationId: 'deleteProject',
      summary: 'Delete a project',
      params: ProjectPath,
      responses: { 204: { description: 'Accepted' }, ...Refusals },
      async handle({ params: { project_id }, ctx }) {
        await removeDeployment(deps, principalOf(ctx), project_id);
      },
    }),
  ];
};
