import { type Static, Type } from 'typebox';
import { StringEnum, Uuid } from '../../platform/schema.ts';
import type { CanaryPlan } from '../canaries/canary.ts';
import type { SecretReferences } from '../deployments/deployment.ts';
import { type Source, SOURCES } from '../vocabulary.ts';
import { REVISION_STATUSES, type RevisionStatus } from './revision-lifecycle.ts';

const READ_ONLY = { readOnly: true };
const Text = Type.Union([Type.String(), Type.Null()]);
const Sha = Type.Union([Type.String(), Type.Null()], READ_ONLY);
const Moment = Type.String({ format: 'date-time', ...READ_ONLY });

/** What a revision is made of (seed, SourceRevisionConfig; contract §2.5). Both vocabularies are read. */
export const SourceRevisionConfig = Type.Object({
  repo_ref: Type.Optional(Text),
  graph_config_path: Type.Optional(Text),
  langgraph_config_path: Type.Optional(Text),
  image_uri: Type.Optional(Text),
  source_tarball_path: Type.Optional(Text),
  /** Each revision finds out for itself; what a request says of it is ignored. */
  repo_commit_sha: Type.Optional(Sha),
});
export type SourceRevisionConfig = Static<typeof SourceRevisionConfig>;

/** The same as an answer has it, in our own words. */
export const ShownConfig = Type.Omit(SourceRevisionConfig, ['langgraph_config_path']);

export const Revision = Type.Object({
  id: Type.String({ format: 'uuid', ...READ_ONLY }),
  created_at: Moment,
  updated_at: Moment,
  status: StringEnum(REVISION_STATUSES, READ_ONLY),
  source: StringEnum(SOURCES),
  source_revision_config: ShownConfig,
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
  /** The project that was built has authentication of its own. */
  own_auth: boolean;
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
