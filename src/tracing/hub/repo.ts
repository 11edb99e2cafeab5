import { type Static, Type } from 'typebox';
import { defineError } from '../../platform/errors.ts';
import { Nullable, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';

export const RepoNotFound = defineError(
  'RepoNotFound',
  404,
  (name: string) => `Repository ${name} not found`,
);
export const RepoExists = defineError(
  'RepoExists',
  409,
  (handle: string) => `A repository named '${handle}' already exists`,
);
export const OtherOwner = defineError('OtherOwner', 403, () => 'The repository belongs to another workspace');

/** A prompt, or the directory of an agent or a skill (contract §1.13, Prompt hub). */
export const Repo = Type.Object({
  id: Uuid,
  repo_handle: Type.String(),
  repo_type: Type.String(),
  owner: Nullable(Type.String()),
  full_name: Type.String(),
  description: Nullable(Type.String()),
  readme: Nullable(Type.String()),
  tenant_id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
  is_public: Type.Boolean(),
  is_archived: Type.Boolean(),
  tags: Type.Array(Type.String()),
  num_likes: Type.Integer(),
  num_downloads: Type.Integer(),
  num_views: Type.Integer(),
  num_commits: Type.Integer(),
  liked_by_auth_user: Type.Boolean(),
  last_commit_hash: Nullable(Type.String()),
});
export type Repo = Static<typeof Repo>;

export const RepoType = StringEnum(['prompt', 'agent', 'skill', 'file'], { default: 'prompt' });
export const HANDLE = '^[a-z][a-z0-9_-]*$';
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 });

export const RepoCreate = Type.Object({
  repo_handle: Type.String({ pattern: HANDLE, maxLength: 200 }),
  repo_type: RepoType,
  description: Type.Optional(Type.String()),
  readme: Type.Optional(Type.String()),
  tags: Type.Optional(Tags),
  is_public: Type.Boolean({ default: false }),
});
export type RepoCreate = Static<typeof RepoCreate>;

export const RepoPatch = Type.Object({
  description: Type.Optional(Type.String()),
  readme: Type.Optional(Type.String()),
  tags: Type.Optional(Tags),
  is_public: Type.Optional(Type.Boolean()),
  is_archived: Type.Optional(Type.Boolean()),
});
export type RepoPatch = Static<typeof RepoPatch>;

export const RepoQuery = Type.Object({
  query: Type.Optional(Type.String()),
  match_prefix: Type.Boolean({ default: false }),
  is_public: Type.Optional(Type.Boolean()),
  is_archived: Type.Optional(Type.Boolean()),
  repo_type: RepoType,
  tags: Type.Optional(Type.Array(Type.String())),
  sort_field: StringEnum(
    ['num_downloads', 'num_views', 'updated_at', 'created_at', 'num_likes', 'repo_handle'],
    { default: 'updated_at' },
  ),
  sort_direction: StringEnum(['asc', 'desc'], { default: 'desc' }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  offset: Type.Integer({ minimum: 0, default: 0 }),
});
export type RepoQuery = Static<typeof RepoQuery>;

/** Path of a repository. `-` is the caller's workspace. */
export const RepoName = Type.Object({
  owner: Type.String({ minLength: 1, maxLength: 200 }),
  repo: Type.String({ minLength: 1, maxLength: 200 }),
});
