import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { bulkDeleteRoute } from './bulk-delete-route.ts';
import { page, PageQuery, Refusals, words } from '../wire.ts';
import type { Vocabulary } from '../vocabulary.ts';
import {
  Deployment,
  DEPLOYMENT_STATUSES,
  DeploymentCreate,
  DeploymentPatch,
  type DeploymentRow,
} from '../records/deployment.ts';
import { listDeployments } from '../records/deployment-repository.ts';
import {
  createDeployment,
  patchDeployment,
  removeDeployment,
  requireDeployment,
} from './deployment-service.ts';
import { deploymentView } from './deployment-view.ts';

export const DeploymentPath = Type.Object({ deployment_id: Uuid });
const Text = Type.Optional(Type.String());

const ListQuery = Type.Object({
  ...PageQuery.properties,
  name: Text,
  name_contains: Text,
  status: Text,
  remote_reconciled: Type.Optional(Type.Boolean()),
  image_version: Text,
  deployment_type: Text,
  deployment_ids: Type.Optional(Type.Array(Uuid)),
  tag_value_ids: Text,
  agent_id: Text,
  agent_environment: Text,
});

/** Counts requested changes, not progress: If-Match guards against other people's edits. */
const etagOf = ({ version }: DeploymentRow): string => `"${version}"`;

/** The version in If-Match; undefined for `*`, and an impossible version for a foreign ETag. */
function askedVersion(header: string): number | undefined {
  if (!header || header === '*') return undefined;
  return Number(/^(?:W\/)?"(\d{1,9})"$/.exec(header)?.[1] ?? 0);
}

export const deploymentRoutes = (deps: ControlPlaneDeps, prefix: string, vocabulary: Vocabulary): Route[] => {
  const route = { tags: ['Deployments (v2)'], hidden: prefix !== '' };
  const path = `${prefix}/v2/deployments`;
  const view = (row: DeploymentRow) => deploymentView(row, vocabulary, deps.box);
  return [
    defineRoute({
      ...route,
      method: 'get',
      path,
      operationId: 'listDeployments',
      summary: 'List deployments, newest first',
      query: ListQuery,
      responses: { 200: page(Deployment), ...Refusals },
      async handle({ query, ctx }) {
        const statuses = words(query.status, DEPLOYMENT_STATUSES, ['query', 'status']);
        // Deployments have no tags or agents, so none matches.
        if (query.tag_value_ids || query.agent_id || query.agent_environment)
          return { resources: [], offset: query.offset };
        const rows = await listDeployments(deps.db, principalOf(ctx).tenant_id, {
          ...query,
          statuses,
          ids: query.deployment_ids,
        });
        return { resources: rows.map(view), offset: query.offset + rows.length };
      },
    }),
    defineRoute({
      ...route,
      method: 'post',
      path,
      operationId: 'createDeployment',
      summary: 'Create a deployment and, if its source allows, its first revision',
      body: DeploymentCreate,
      responses: { 201: Deployment, ...Refusals },
      async handle({ body, ctx }) {
        const created = await createDeployment(deps, principalOf(ctx), body);
        ctx.status = 201;
        ctx.set('etag', etagOf(created));
        return view(created);
      },
    }),
    bulkDeleteRoute(deps, prefix),
    defineRoute({
      ...route,
      method: 'get',
      path: `${path}/{deployment_id}`,
      operationId: 'getDeployment',
      summary: 'Get a deployment',
      params: DeploymentPath,
      responses: { 200: Deployment, ...Refusals },
      async handle({ params, ctx }) {
        const row = await requireDeployment(deps.db, principalOf(ctx), params.deployment_id);
        ctx.set('etag', etagOf(row));
        return view(row);
      },
    }),
    defineRoute({
      ...route,
      method: 'patch',
      path: `${path}/{deployment_id}`,
      operationId: 'patchDeployment',
      summary: 'Change a deployment; makes a revision if the change affects one',
      params: DeploymentPath,
      body: DeploymentPatch,
      responses: { 200: Deployment, ...Refusals },
      async handle({ params, body, ctx }) {
        const { deployment } = await patchDeployment(deps, principalOf(ctx), params.deployment_id, body, {
          version: askedVersion(ctx.get('if-match')),
        });
        ctx.set('etag', etagOf(deployment));
        return view(deployment);
      },
    }),
    defineRoute({
      ...route,
      method: 'delete',
      path: `${path}/{deployment_id}`,
      operationId: 'deleteDeployment',
      summary: 'Delete a deployment; it stays readable until the deletion completes',
      params: DeploymentPath,
      query: Type.Object({ delete_tracing_project: Type.Optional(Type.Boolean()) }),
      responses: { 204: { description: 'Accepted' }, ...Refusals },
      async handle({ params, ctx }) {
        await removeDeployment(deps, principalOf(ctx), params.deployment_id);
      },
    }),
  ];
};
