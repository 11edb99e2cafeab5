import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { findRun } from '../runs/run-repository.ts';
import { viewRuns } from '../query/run-view.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { Commit, CommitCreate, CommitNotFound, pulledManifest } from './commit.ts';
import { countDownload, findCommit, listCommits, makeCommit } from './commit-repository.ts';
import { RepoName } from './repo.ts';
import { ownRepo, readableRepo } from './repo-routes.ts';

const tags = ['Prompts'];
const all = { path: '/commits/{owner}/{repo}', params: RepoName, tags };
const WithModel = { include_model: Type.Boolean({ default: false }) };

/** Commits of the prompt hub (contract §1.13). Manifests are stored and returned unchanged. */
export const commitRoutes = ({ db }: TracingDeps): Route[] => [
  defineRoute({
    ...all,
    method: 'get',
    operationId: 'listCommits',
    summary: 'List commits of a prompt, newest first',
    query: Type.Object({
      ...WithModel,
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, default: 0 }),
    }),
    responses: { 200: Type.Object({ commits: Type.Array(Commit), total: Type.Integer() }), 404: Detail },
    async handle({ ctx, params, query }) {
      const { id, num_commits } = await readableRepo(db, callerOf(ctx), params);
      const commits = await listCommits(db, id, query);
      return {
        commits: commits.map((commit) => ({
          ...commit,
          manifest: pulledManifest(commit.manifest, query.include_model),
        })),
        total: num_commits,
      };
    },
  }),
  defineRoute({
    ...all,
    method: 'post',
    operationId: 'createCommit',
    summary: 'Push a commit on top of the latest',
    body: CommitCreate,
    responses: { 200: Type.Object({ commit: Commit }), 403: Detail, 404: Detail, 409: Detail },
    async handle({ ctx, params, body: { parent_commit, ...body } }) {
      const { id } = await ownRepo(db, callerOf(ctx), params);
      return { commit: await makeCommit(db, id, { ...body, parent: parent_commit }) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/commits/{owner}/{repo}/{ref}',
    params: Type.Object({ ...RepoName.properties, ref: Type.String({ maxLength: 200 }) }),
    operationId: 'pullCommit',
    tags,
    summary: 'Read a commit by latest, hash, hash prefix or tag',
    query: Type.Object(WithModel),
    responses: {
      200: Type.Object({
        commit_hash: Type.String(),
        manifest: Type.Unknown(),
        examples: Type.Array(Type.Unknown()),
      }),
      404: Detail,
      409: Detail,
    },
    async handle({ ctx, params, query }) {
      const caller = callerOf(ctx);
      const repo = await readableRepo(db, caller, params);
      const commit = await findCommit(db, repo.id, params.ref);
      if (!commit) throw new CommitNotFound(repo.full_name, params.ref);
      await countDownload(db, commit);
      const runs = await Promise.all(commit.example_run_ids.map((id) => findRun(db, repo.tenant_id, id)));
      const found = runs.flatMap((run) => run ?? []);
      return {
        commit_hash: commit.commit_hash,
        manifest: pulledManifest(commit.manifest, query.include_model),
        examples: (await viewRuns(db, repo.tenant_id, found, { bodies: ['inputs', 'outputs'] })).map(
          ({ id, session_id, start_time, inputs, outputs }) => ({
            id,
            session_id,
            start_time,
            inputs,
            outputs,
          }),
        ),
      };
    },
  }),
];
