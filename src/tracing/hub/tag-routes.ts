import { type Static, Type } from 'typebox';
import type { Queryable } from '../../platform/db/database.ts';
import { NotFound } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { uuid7 } from '../../platform/ids.ts';
import { Detail, Timestamp, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { RepoName } from './repo.ts';
import { ownRepo, readableRepo } from './repo-routes.ts';

const Tag = Type.Object({
  id: Uuid,
  repo_id: Uuid,
  commit_id: Uuid,
  commit_hash: Type.String(),
  tag_name: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
type Tag = Static<typeof Tag>;

// `latest` is reserved.
const TagName = Type.String({ pattern: String.raw`^(?!latest$)[\w][\w.-]*$`, maxLength: 200 });

const tags = ['Prompts'];
const all = { path: '/repos/{owner}/{repo}/tags', params: RepoName, tags };
const one = {
  path: '/repos/{owner}/{repo}/tags/{tag_name}',
  params: Type.Object({ ...RepoName.properties, tag_name: Type.String() }),
  tags,
};
const missing = (name: string) => new NotFound(`Tag ${name} not found`);

/** Movable names of commits (contract §1.13). */
export const tagRoutes = ({ db }: TracingDeps): Route[] => [
  defineRoute({
    ...all,
    method: 'get',
    operationId: 'listTags',
    summary: 'List tags of a prompt',
    responses: { 200: Type.Array(Tag), 404: Detail },
    async handle({ ctx, params }) {
      return listTags(db, (await readableRepo(db, callerOf(ctx), params)).id);
    },
  }),
  defineRoute({
    ...all,
    method: 'post',
    operationId: 'setTag',
    summary: 'Tag a commit, moving an existing tag',
    body: Type.Object({ tag_name: TagName, commit_id: Uuid }),
    responses: { 200: Tag, 403: Detail, 404: Detail },
    async handle({ ctx, params, body }) {
      const { id } = await ownRepo(db, callerOf(ctx), params);
      const tag = await setTag(db, id, body.tag_name, body.commit_id);
      if (!tag) throw new NotFound(`Commit ${body.commit_id} not found`);
      return tag;
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operationId: 'getTag',
    summary: 'Read a tag',
    responses: { 200: Tag, 404: Detail },
    async handle({ ctx, params }) {
      const { id } = await readableRepo(db, callerOf(ctx), params);
      const [tag] = await listTags(db, id, params.tag_name);
      if (!tag) throw missing(params.tag_name);
      return tag;
    },
  }),
  defineRoute({
    ...one,
    method: 'patch',
    operationId: 'moveTag',
    summary: 'Move a tag to another commit',
    body: Type.Object({ commit_id: Uuid }),
    responses: { 200: Tag, 403: Detail, 404: Detail },
    async handle({ ctx, params, body }) {
      const { id } = await ownRepo(db, callerOf(ctx), params);
      if ((await listTags(db, id, params.tag_name)).length === 0) throw missing(params.tag_name);
      const tag = await setTag(db, id, params.tag_name, body.commit_id);
      if (!tag) throw new NotFound(`Commit ${body.commit_id} not found`);
      return tag;
    },
  }),
  defineRoute({
    ...one,
    method: 'delete',
    operationId: 'deleteTag',
    summary: 'Remove a tag',
    responses: { 204: { description: 'Removed' }, 403: Detail, 404: Detail },
    async handle({ ctx, params }) {
      const { id } = await ownRepo(db, callerOf(ctx), params);
      const { rowCount } = await db.query(
        'delete from tracing.repo_tag where repo_id = $1 and tag_name = $2',
        [id, params.tag_name],
      );
      if (rowCount === 0) throw missing(params.tag_name);
    },
  }),
];

async function listTags(db: Queryable, repoId: string, name?: string): Promise<Tag[]> {
  const { rows } = await db.query<Tag>(
    `select t.id, t.repo_id, t.commit_id, c.commit_hash, t.tag_name, t.created_at, t.updated_at
     from tracing.repo_tag t join tracing.repo_commit c on c.id = t.commit_id
     where t.repo_id = $1 and ($2::text is null or t.tag_name = $2) order by t.tag_name`,
    [repoId, name],
  );
  return rows;
}

/** Undefined if the repository has no such commit. */
async function setTag(
  db: Queryable,
  repoId: string,
  name: string,
  commitId: string,
): Promise<Tag | undefined> {
  await db.query(
    `insert into tracing.repo_tag (id, repo_id, tag_name, commit_id)
     select $1, c.repo_id, $3, c.id from tracing.repo_commit c where c.repo_id = $2 and c.id = $4
     on conflict (repo_id, tag_name) do update set commit_id = excluded.commit_id, updated_at = clock_timestamp()`,
    [uuid7(), repoId, name, commitId],
  );
  const [tag] = await listTags(db, repoId, name);
  return tag?.commit_id === commitId ? tag : undefined;
}
