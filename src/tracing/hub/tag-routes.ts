import { Type } from 'typebox';
import { NotFound } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { RepoName } from './repo.ts';
import { ownRepo, readableRepo } from './repo-routes.ts';
import { deleteTag, listTags, setTag } from './tag-repository.ts';
import { Tag } from './tag.ts';

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
      if (!(await deleteTag(db, id, params.tag_name))) throw missing(params.tag_name);
    },
  }),
];
