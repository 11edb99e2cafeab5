import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { defineError } from '../../platform/errors.ts';
import { JsonObject, Timestamp, Uuid } from '../../platform/schema.ts';

export const CommitNotFound = defineError(
  'CommitNotFound',
  404,
  (repo: string, ref: string) => `${repo} has no commit ${ref}`,
);
export const AmbiguousCommit = defineError(
  'AmbiguousCommit',
  409,
  (ref: string) => `Several commits begin with ${ref}`,
);
export const StaleParent = defineError('StaleParent', 409, (latest: string | undefined) =>
  latest
    ? `parent_commit must be the latest commit, ${latest}`
    : 'The first commit must not have a parent_commit',
);
export const NothingChanged = defineError(
  'NothingChanged',
  409,
  () => 'Nothing to commit: the prompt has not changed since the latest commit',
);

export const Commit = Type.Object({
  id: Uuid,
  repo_id: Uuid,
  commit_hash: Type.String(),
  parent_commit_hash: Type.Union([Type.String(), Type.Null()]),
  manifest: Type.Unknown(),
  description: Type.Union([Type.String(), Type.Null()]),
  example_run_ids: Type.Array(Uuid),
  num_downloads: Type.Integer(),
  num_views: Type.Integer(),
  created_at: Timestamp,
});
export type Commit = Static<typeof Commit>;

export const CommitCreate = Type.Object({
  manifest: JsonObject,
  parent_commit: Type.Optional(Type.String({ minLength: 8, maxLength: 64 })),
  example_run_ids: Type.Optional(Type.Array(Uuid, { maxItems: 100 })),
  description: Type.Optional(Type.String()),
});
export type CommitCreate = Static<typeof CommitCreate>;

/** 64 hex digits. Equal content after the same parent has an equal hash. */
export const hashCommit = (parent: string | undefined, manifest: string): string =>
  createHash('sha256')
    .update(`${parent ?? ''}\n${manifest}`)
    .digest('hex');

interface Serialized {
  id?: unknown;
  kwargs?: { first?: unknown };
}

/**
 * The manifest to return for a pull. Prompts pushed with a model are a sequence of prompt and model; without
 * `include_model` only the prompt is returned.
 */
export function pulledManifest(manifest: unknown, includeModel: boolean): unknown {
  const { id, kwargs } = (manifest ?? {}) as Serialized;
  const isSequence = Array.isArray(id) && id.at(-1) === 'RunnableSequence';
  return isSequence && !includeModel && kwargs?.first ? kwargs.first : manifest;
}
