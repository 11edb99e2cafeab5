import { type Static, Type } from 'typebox';
import { JsonObject, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import type { CanaryPlan } from '../canaries/canary.ts';
import type { SecretReferences } from '../deployments/deployment.ts';
import type { Source } from '../vocabulary.ts';
import { REVISION_STATUSES, type RevisionStatus } from './revision-lifecycle.ts';

const Text = Type.Union([Type.String(), Type.Null()]);

/** What a revision is made of (seed, SourceRevisionConfig; contract §2.5). Both vocabularies are read. */
export const SourceRevisionConfig = Type.Object({
  repo_ref: Type.Optional(Text),
  graph_config_path: Type.Optional(Text),
  langgraph_config_path: Type.Optional(Text),
  image_uri: Type.Optional(Text),
  source_tarball_path: Type.Optional(Text),
  repo_commit_sha: Type.Optional(Text),
});
export type SourceRevisionConfig = Static<typeof SourceRevisionConfig>;

export const Revision = Type.Object({
  id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
  status: StringEnum(REVISION_STATUSES),
  source: Type.String(),
  source_revision_config: JsonObject,
  deployment_id: Uuid,
  /** Counts the revisions of a deployment, from 1. */
  number: Type.Integer(),
  status_message: Text,
  created_by: Text,
  reason: Type.String(),
  remote_reconciled: Type.Boolean(),
});

/** A revision as it is in its row, in our own words. */
export interface RevisionRow {
  id: string;
  deployment_id: string;
  number: number;
  source: Source;
  source_config: Record<string, unknown>;
  source_revision_config: Record<string, unknown>;
  environment: Buffer;
  /** Null where it has none. */
  secret_references: SecretReferences;
  status: RevisionStatus;
  status_message: string | null;
  artifact: string | null;
  /** Its image was pushed, and is kept no longer. */
  image_released: boolean;
  /** Who let it go on to where it serves; null where nobody had to, or has yet. */
  approved_by: string | null;
  created_by: string | null;
  reason: string;
  pinned: boolean;
  /** Null for one that takes over as soon as it is well. */
  canary: CanaryPlan | null;
  remote_reconciled: boolean;
  created_at: string;
  updated_at: string;
}

/** Keys whose values make a new revision when they are given (contract §2.6). */
export const REVISION_KEYS = ['repo_ref', 'graph_config_path', 'image_uri', 'source_tarball_path'] as const;

const CONFIG_KEYS = [
  'repo_ref',
  'graph_config_path',
  'image_uri',
  'source_tarball_path',
  'repo_commit_sha',
] as const;

/** All keys of a configuration, null where it has none. */
export const wholeConfig = (config: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(CONFIG_KEYS.map((key) => [key, config[key] ?? null]));
