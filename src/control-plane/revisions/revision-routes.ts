import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { Deployment, DeploymentPatch } from '../records/deployment.ts';
import { DeploymentPath } from '../deployments/deployment-routes.ts';
import { patchDeployment, requireDeployment } from '../deployments/deployment-service.ts';
import { deploymentView, revisionView } from '../deployments/deployment-view.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { page, PageQuery, Refusals, words } from '../wire.ts';
import { Revision } from '../records/revision.ts';
import { approve } from './approval.ts';
import { REVISION_STATUSES } from '../records/revision-lifecycle.ts';
import { listRevisions } from '../records/revision-repository.ts';
import { interrupt, redeploy, requireRevision } from './revision-service.ts';

const RevisionPath = Type.Object({ ...DeploymentPath.properties, revision_id: Uuid });
const ListQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.String()),
  remote_reconciled: Type.Optional(Type.Boolean()),
});

export const revisionRoutes = (deps: ControlPlaneDeps, prefix: string, vocabulary: Vocabulary): Route[] => {
  const route = { tags: ['Deployments (v2)'], hidden: prefix !== '' };
  const path = `${prefix}/v2/deployments/{deployment_id}/revisions`;
  return [
    defineRoute({
      ...route,
      method: 'get',
      path,
      operationId: 'listRevisions',
      summary: 'List the revisions of a deployment, newest first',
      params: DeploymentPath,
      query: ListQuery,
      responses: { 200: page(Revision), ...Refusals },
      async handle({ params: { deployment_id }, query, ctx }) {
        const statuses = words(query.status, REVISION_STATUSES, ['query', 'status']);
        await requireDeployment(deps.db, principalOf(ctx), deployment_id);
        const rows = await listRevisions(deps.db, deployment_id, { ...query, statuses });
        return {
          resources: rows.map((row) => revisionView(row, vocabulary)),
          offset: query.offset + rows.length,
        };
      },
    }),
    defineRoute({
      ...route,
      method: 'post',
      path,
      operationId: 'createRevision',
      summary: 'Create a revision, even if nothing changed',
      params: DeploymentPath,
      body: DeploymentPatch,
      responses: { 201: Revision, ...Refusals },
      async handle({ params: { deployment_id }, body, ctx }) {
        const { revision } = await patchDeployment(deps, principalOf(ctx), deployment_id, body, {
          always: true,
        });
        ctx.status = 201;
        return revisionView(revision!, vocabulary);
      },
    }),
    defineRoute({
      ...route,
      method: 'get',
      path: `${path}/{revision_id}`,
      operationId: 'getRevision',
      summary: 'Get a revision',
      params: RevisionPath,
      responses: { 200: Revision, ...Refusals },
      handle: async ({ params: { deployment_id, revision_id }, ctx }) =>
        revisionView(await requireRevision(deps, principalOf(ctx), deployment_id, revision_id), vocabulary),
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: `${path}/{revision_id}/redeploy`,
      operationId: 'redeployRevision',
      summary: 'Redeploy the artifact of a revision: a new revision without a build',
      params: RevisionPath,
      responses: { 200: Deployment, ...Refusals },
      async handle({ params: { deployment_id, revision_id }, ctx }) {
        await redeploy(deps, principalOf(ctx), deployment_id, revision_id);
        const row = await requireDeployment(deps.db, principalOf(ctx), deployment_id);
        return deploymentView(row, vocabulary, deps.box);
      },
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: `${path}/{revision_id}/interrupt`,
      operationId: 'interruptRevision',
      summary: 'Interrupt a revision',
      params: RevisionPath,
      responses: { 200: Revision, ...Refusals },
      async handle({ params: { deployment_id, revision_id }, ctx }) {
        const principal = principalOf(ctx);
        await interrupt(deps, principal, deployment_id, revision_id);
        return revisionView(await requireRevision(deps, principal, deployment_id, revision_id), vocabulary);
      },
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: `${path}/{revision_id}/approve`,
      operationId: 'approveRevision',
      summary: 'Approve a waiting revision',
      params: RevisionPath,
      responses: { 200: Revision, ...Refusals },
      async handle({ params: { deployment_id, revision_id }, ctx }) {
        const principal = principalOf(ctx);
        await approve(deps, principal, deployment_id, revision_id);
        return revisionView(await requireRevision(deps, principal, deployment_id, revision_id), vocabulary);
      },
    }),
  ];
};
