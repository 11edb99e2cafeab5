import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { uuid7 } from '../../platform/ids.ts';
import { Detail } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { Caller, TracingDeps } from '../tracing-deps.ts';
import {
  OtherOwner,
  Repo,
  RepoCreate,
  RepoExists,
  RepoName,
  RepoNotFound,
  RepoPatch,
  RepoQuery,
} from './repo.ts';
import {
  countView,
  deleteRepo,
  findRepo,
  insertRepo,
  listRepos,
  setLike,
  updateRepo,
} from './repo-repository.ts';
import { settingsOf } from './settings.ts';

/** Finds an own or public repository. Throws RepoNotFound. */
export async function readableRepo(
  db: TracingDeps['db'],
  caller: Caller,
  name: { owner: string; repo: string },
): Promise<Repo> {
  const repo = await findRepo(db, caller, name);
  if (!repo) throw new RepoNotFound(`${name.owner}/${name.repo}`);
  return repo;
}

/** Finds an own repository. Throws RepoNotFound, OtherOwner. */
export async function ownRepo(
  db: TracingDeps['db'],
  caller: Caller,
  name: { owner: string; repo: string },
): Promise<Repo> {
  const repo = await readableRepo(db, caller, name);
  if (repo.tenant_id !== caller.tenant_id) throw new OtherOwner();
  return repo;
}

const tags = ['Prompts'];
const one = { path: '/repos/{owner}/{repo}', params: RepoName, tags };
const Answer = Type.Object({ repo: Repo });

/** Repositories of the prompt hub (contract §1.13). */
export const repoRoutes = ({ db }: TracingDeps): Route[] => {
  // Public repositories appear under the workspace's handle, so it must exist.
  const nameOwner = async ({ tenant_id }: Caller, isPublic?: boolean) => {
    if (isPublic) await settingsOf(db, tenant_id);
  };
  return [
    defineRoute({
      method: 'get',
      path: '/repos',
      operationId: 'listRepos',
      tags,
      summary: 'Search prompts',
      query: RepoQuery,
      responses: { 200: Type.Object({ repos: Type.Array(Repo), total: Type.Integer() }) },
      handle: ({ ctx, query }) => listRepos(db, callerOf(ctx), query),
    }),
    defineRoute({
      method: 'post',
      path: '/repos',
      operationId: 'createRepo',
      tags,
      summary: 'Create a prompt',
      body: RepoCreate,
      responses: { 200: Answer, 400: Detail, 409: Detail },
      async handle({ ctx, body }) {
        const caller = callerOf(ctx);
        await nameOwner(caller, body.is_public);
        const made = await insertRepo(db, caller.tenant_id, { ...body, id: uuid7() });
        if (!made) throw new RepoExists(body.repo_handle);
        return { repo: await readableRepo(db, caller, { owner: '-', repo: body.repo_handle }) };
      },
    }),
    defineRoute({
      ...one,
      method: 'get',
      operationId: 'getRepo',
      summary: 'Read a prompt',
      responses: { 200: Answer, 404: Detail },
      async handle({ ctx, params }) {
        const repo = await readableRepo(db, callerOf(ctx), params);
        await countView(db, repo.id);
        return { repo };
      },
    }),
    defineRoute({
      ...one,
      method: 'patch',
      operationId: 'updateRepo',
      summary: 'Update a prompt',
      body: RepoPatch,
      responses: { 200: Answer, 403: Detail, 404: Detail },
      async handle({ ctx, params, body }) {
        const caller = callerOf(ctx);
        const { id } = await ownRepo(db, caller, params);
        await nameOwner(caller, body.is_public);
        await updateRepo(db, id, body);
        return { repo: await readableRepo(db, caller, params) };
      },
    }),
    defineRoute({
      ...one,
      method: 'delete',
      operationId: 'deleteRepo',
      summary: 'Delete a prompt and its commits',
      responses: { 200: Type.Object({ message: Type.String() }), 403: Detail, 404: Detail },
      async handle({ ctx, params }) {
        const { id, full_name } = await ownRepo(db, callerOf(ctx), params);
        await deleteRepo(db, id);
        return { message: `${full_name} deleted` };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/likes/{owner}/{repo}',
      params: RepoName,
      operationId: 'likeRepo',
      tags,
      summary: 'Like or unlike a prompt',
      body: Type.Object({ like: Type.Boolean() }),
      responses: { 200: Type.Object({ likes: Type.Integer() }), 404: Detail },
      async handle({ ctx, params, body }) {
        const caller = callerOf(ctx);
        const { id } = await readableRepo(db, caller, params);
        return { likes: await setLike(db, caller, id, body.like) };
      },
    }),
  ];
};
