import { type Static, Type } from 'typebox';
import { StringEnum, Uuid } from '../../platform/schema.ts';
import type { CanaryPlan } from './canary.ts';
import type { SecretReferences } from './deployment.ts';
import { type Source, SOURCES } from '../vocabulary.ts';
import { REVISION_STATUSES, type RevisionStatus } from './revision-lifecycle.ts';

const READ_ONLY = { readOnly: true };
const Text = Type.Union([Type.String(), Type.Null()]);
const Sha = Type.Union([Type.String(), Type.Null()], READ_ONLY);
const Moment = Type.String({ format: 'date-time', ...READ_ONLY });

/** The source of a revision (contract §2.5), in either vocabulary. */
export const SourceRevisionConfig = Type.Object({
  repo_ref: Type.Optional(Text),
  graph_config_path: Type.Optional(Text),
  langgraph_config_path: Type.Optional(Text),
  image_uri: Type.Optional(Text),
  source_tarball_path: Type.Optional(Text),
  /** Resolved by each revision; ignored in requests. */
  repo_commit_sha: Type.Optional(Sha),
});
export type SourceRevisionConfig = Static<typeof SourceRevisionConfig>;

/** The source as returned by the API, in our vocabulary. */
export const ShownConfig = Type.Omit(SourceRevisionConfig, ['langgraph_config_path']);

export const Revision = Type.Object({
  id: Type.String({ format: 'uuid', ...READ_ONLY }),
  created_at: Moment,
  updated_at: Moment,
  status: StringEnum(REVISION_STATUSES, READ_ONLY),
  source: StringEnum(SOURCES),
  source_revision_config: ShownConfig,
  deployment_id: Uuid,
  /** Consecutive per deployment, from 1. */
  number: Type.Integer(),
  status_message: Text,
  created_by: Text,
  reason: Type.String(),
  remote_reconciled: Type.Boolean(),
});

/** A revision row, in our vocabulary. */
export interface RevisionRow {
  id: string;
  deployment_id: string;
  number: number;
  source: Source;
  source_config: Record<string, unknown>;
  source_revision_config: Record<string, unknown>;
  environment: Buffer;
  /** Null if there are none. */
  secret_references: SecretReferences;
  status: RevisionStatus;
  status_message: string | null;
  artifact: string | null;
  /** Whether the built project brings its own authentication. */
  own_auth: boolean;
  /** Whether its pushed image was deleted. */
  image_released: boolean;
  /** The approver; null while unapproved or when approval isn't required. */
  approved_by: string | null;
  created_by: string | null;
  reason: string;
  pinned: boolean;
  /** Null for a revision that takes over once healthy. */
  canary: CanaryPlan | null;
  remote_reconciled: boolean;
  created_at: string;
  updated_at: string;
}

/** Keys that make a new revision when set (contract §2.6). */
export const REVISION_KEYS = ['repo_ref', 'graph_config_path', 'image_uri', 'source_tarball_path'] as const;

const CONFIG_KEYS = [
  'repo_ref',
  'graph_config_path',
  'image_uri',
  'source_tarball_path',
  'repo_commit_sha',
] as const;

/** A configuration with every key; null where unset. */
export const wholeConfig = (config: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(CONFIG_KEYS.map((key) => [key, config[key] ?? null]));
