import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Timestamp, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { CommitNotFound } from './commit.ts';
import { countDownload, findCommit, makeCommit } from './commit-repository.ts';
import { RepoName } from './repo.ts';
import { deleteRepo } from './repo-repository.ts';
import { ownRepo, readableRepo } from './repo-routes.ts';

const one = {
  path: '/platform/hub/repos/{owner}/{repo}/directories',
  params: RepoName,
  tags: ['Prompts'],
};
const filesOf = (manifest: unknown): JsonObject => ((manifest ?? {}) as { files?: JsonObject }).files ?? {};

/** Agents and skills: repositories whose commits are directories of files (contract §1.13). */
export const directoryRoutes = ({ db }: TracingDeps): Route[] => [
  defineRoute({
    ...one,
    method: 'get',
    operationId: 'pullDirectory',
    summary: 'Read the files of an agent or a skill',
    query: Type.Object({ commit: Type.String({ default: 'latest', maxLength: 200 }) }),
    responses: {
      200: Type.Object({ commit_id: Uuid, commit_hash: Type.String(), files: JsonObject }),
      404: Detail,
    },
    async handle({ ctx, params, query }) {
      const repo = await readableRepo(db, callerOf(ctx), params);
      const commit = await findCommit(db, repo.id, query.commit);
      if (!commit) throw new CommitNotFound(repo.full_name, query.commit);
      await countDownload(db, commit);
      return { commit_id: commit.id, commit_hash: commit.commit_hash, files: filesOf(commit.manifest) };
    },
  }),
  defineRoute({
    ...one,
    path: `${one.path}/commits`,
    method: 'post',
    operationId: 'pushDirectory',
    summary: 'Push files; null deletes a file, files not listed stay',
    body: Type.Object({
      files: JsonObject,
      parent_commit: Type.Optional(Type.String({ minLength: 8, maxLength: 64 })),
    }),
    responses: {
      200: Type.Object({
        commit: Type.Object({ id: Uuid, commit_hash: Type.String(), created_at: Timestamp }),
      }),
      404: Detail,
      409: Detail,
    },
    async handle({ ctx, params, body }) {
      const repo = await ownRepo(db, callerOf(ctx), params);
      const latest = await findCommit(db, repo.id, 'latest');
      const files = Object.entries({ ...filesOf(latest?.manifest), ...body.files }).filter(
        ([, entry]) => entry !== null,
      );
      const { id, commit_hash, created_at } = await makeCommit(db, repo.id, {
        manifest: { files: Object.fromEntries(files) },
        // The merge base must still be the latest commit.
        parent: body.parent_commit ?? latest?.commit_hash,
      });
      return { commit: { id, commit_hash, created_at } };
    },
  }),
  defineRoute({
    ...one,
    method: 'delete',
    operationId: 'deleteDirectory',
    summary: 'Delete an agent or a skill and its commits',
    responses: { 204: { description: 'Deleted' }, 404: Detail },
    async handle({ ctx, params }) {
      await deleteRepo(db, (await ownRepo(db, callerOf(ctx), params)).id);
    },
  }),
];
