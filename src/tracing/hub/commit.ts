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
  latest ? `parent_commit must be the latest commit, ${latest}` : 'There is no commit yet: no parent_commit',
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

/** 64 hex digits: the same content after the same commit has the same. */
export const hashCommit = (parent: string | undefined, manifest: string): string =>
  createHash('sha256')
    .update(`${parent ?? ''}\n${manifest}`)
    .digest('hex');

interface Serialized {
  id?: unknown;
  kwargs?: { first?: unknown };
}

/**
 * A manifest as it is pulled. A prompt that was pushed with its model is a sequence of both; without `include_model`
 * it is the prompt alone.
 */
export function pulledManifest(manifest: unknown, includeModel: boolean): unknown {
  const { id, kwargs } = (manifest ?? {}) as Serialized;
  const isSequence = Array.isArray(id) && id.at(-1) === 'RunnableSequence';
  return isSequence && !includeModel && kwargs?.first ? kwargs.first : manifest;
}
