import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { DeploymentPatch } from '../records/deployment.ts';
import { patchDeployment, requireDeployment } from '../deployments/deployment-service.ts';
import { revisionView } from '../deployments/deployment-view.ts';
import { NotServing } from '../errors.ts';
import { listRevisions } from '../records/revision-repository.ts';
import { interrupt, redeploy, requireRevision } from '../revisions/revision-service.ts';
import { Revision, type RevisionRow } from '../records/revision.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { PageQuery, Refusals } from '../wire.ts';

const ProjectPath = Type.Object({ project_id: Uuid });
const RevisionPath = Type.Object({ project_id: Uuid, revision_id: Uuid });
const ProjectRevision = Type.Object({ ...Revision.properties, metadata: JsonObject });

/** Revisions under their older address (contract §1.2). */
export const projectRevisionRoutes = (
  deps: ControlPlaneDeps,
  prefix: string,
  vocabulary: Vocabulary,
): Route[] => {
  const route = { tags: ['Projects (v1)'], hidden: prefix !== '' };
  const one = `${prefix}/v1/projects/{project_id}`;
  const revision = `${one}/revisions/{revision_id}`;
  const view = (row: RevisionRow) => ({
    ...revisionView(row, vocabulary),
    metadata: {
      created_by: row.created_by,
      repo_commit_sha: row.source_revision_config['repo_commit_sha'] ?? null,
    },
  });
  return [
    defineRoute({
      ...route,
      method: 'get',
      path: `${one}/revisions`,
      operationId: 'listProjectRevisions',
      summary: 'List the revisions of a project, newest first',
      params: ProjectPath,
      query: PageQuery,
      responses: { 200: Type.Array(ProjectRevision), ...Refusals },
      async handle({ params: { project_id }, query, ctx }) {
        await requireDeployment(deps.db, principalOf(ctx), project_id);
        return (await listRevisions(deps.db, project_id, query)).map(view);
      },
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: `${one}/revisions`,
      operationId: 'createProjectRevision',
      summary: 'Create a revision of a project',
      params: ProjectPath,
      body: DeploymentPatch,
      responses: { 201: ProjectRevision, ...Refusals },
      async handle({ params: { project_id }, body, ctx }) {
        const made = await patchDeployment(deps, principalOf(ctx), project_id, body, { always: true });
        ctx.status = 201;
        return view(made.revision!);
      },
    }),
    defineRoute({
      ...route,
      method: 'get',
      path: revision,
      operationId: 'getProjectRevision',
      summary: 'Get a revision of a project',
      params: RevisionPath,
      responses: { 200: ProjectRevision, ...Refusals },
      handle: async ({ params: { project_id, revision_id }, ctx }) =>
        view(await requireRevision(deps, principalOf(ctx), project_id, revision_id)),
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: `${revision}/interrupt`,
      operationId: 'interruptProjectRevision',
      summary: 'Interrupt a revision',
      params: RevisionPath,
      responses: { 200: ProjectRevision, ...Refusals },
      async handle({ params: { project_id, revision_id }, ctx }) {
        const principal = principalOf(ctx);
        await interrupt(deps, principal, project_id, revision_id);
        return view(await requireRevision(deps, principal, project_id, revision_id));
      },
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: `${revision}/deploy`,
      operationId: 'deployProjectRevision',
      summary: 'Redeploy the latest revision without a build',
      params: RevisionPath,
      responses: { 200: ProjectRevision, 400: Detail, ...Refusals },
      async handle({ params: { project_id, revision_id }, ctx }) {
        const principal = principalOf(ctx);
        const { status } = await requireRevision(deps, principal, project_id, revision_id);
        const { latest_revision_id } = await requireDeployment(deps.db, principal, project_id);
        if (status !== 'DEPLOYED' || latest_revision_id !== revision_id) throw new NotServing(revision_id);
        return view(await redeploy(deps, principal, project_id, revision_id));
      },
    }),
  ];
};
