import { type Static, Type } from 'typebox';
import { JsonObject, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { CanaryRequest } from './canary.ts';
import { ShownConfig, SourceRevisionConfig } from './revision.ts';
import { ResourceSpec } from './resource-spec.ts';
import { Secrets } from '../secrets/environment.ts';
import { type Source, SOURCE_SPELLINGS, SOURCES } from '../vocabulary.ts';

export const DEPLOYMENT_STATUSES = [
  'AWAITING_DATABASE',
  'READY',
  'UNUSED',
  'AWAITING_DELETE',
  'AWAITING_FINAL_DELETE',
  'UNKNOWN',
] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

/** `private`: agents need a key or a session of the workspace. `public`: anyone may use them. */
const AgentAccess = StringEnum(['private', 'public']);
export type AgentAccess = Static<typeof AgentAccess>;

const Text = Type.Union([Type.String(), Type.Null()]);
const SourceSpelling = StringEnum(SOURCE_SPELLINGS);
const Command = Type.Union([Type.String({ maxLength: 2_000, pattern: '^[^\\n\\r\\0`]*$' }), Type.Null()]);

const Pattern = Type.String({ minLength: 1, maxLength: 500 });

const SourceConfig = Type.Object({
  integration_id: Type.Optional(Type.Union([Uuid, Type.Null()])),
  repo_url: Type.Optional(Text),
  deployment_type: Type.Optional(Text),
  build_on_push: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  /** Patterns as in .gitignore: a push that matches none makes no revision. */
  watch_paths: Type.Optional(Type.Union([Type.Array(Pattern, { maxItems: 200 }), Type.Null()])),
  /** Each pull request into the branch gets its own deployment until it is closed. */
  preview_pull_requests: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  /** Includes pull requests from forks, whose authors can then read the environment. */
  preview_forks: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  custom_url: Type.Optional(Text),
  resource_spec: Type.Optional(Type.Union([ResourceSpec, Type.Null()])),
  listener_id: Type.Optional(Type.Union([Uuid, Type.Null()])),
  listener_config: Type.Optional(Type.Union([JsonObject, Type.Null()])),
  install_command: Type.Optional(Command),
  build_command: Type.Optional(Command),
  /** Extension: each revision waits for approval after its build. */
  requires_approval: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});

/** Variables taken from Kubernetes secrets; external images only (contract §2.1). */
const SecretReferences = Type.Union([
  Type.Array(
    Type.Object({
      name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: 255 }),
      secret_name: Type.String({ minLength: 1, maxLength: 253 }),
      secret_key: Type.String({ minLength: 1, maxLength: 253 }),
    }),
    { maxItems: 500 },
  ),
  Type.Null(),
]);
export type SecretReferences = Static<typeof SecretReferences>;

/** Body of create (contract §2.1). Unknown fields are ignored. */
export const DeploymentCreate = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 63, pattern: '^[A-Za-z0-9]([A-Za-z0-9._ -]*[A-Za-z0-9])?$' }),
  source: SourceSpelling,
  source_config: Type.Optional(SourceConfig),
  source_revision_config: Type.Optional(SourceRevisionConfig),
  secrets: Type.Optional(Secrets),
  /** An empty list clears; omitting it keeps the current value. */
  secret_references: Type.Optional(SecretReferences),
  /** Extension: belongs to a pull request or branch, and is hidden from lookups by agent. */
  is_preview: Type.Optional(Type.Boolean()),
  access: Type.Optional(AgentAccess),
});

/** Body of PATCH, and of a new revision (contract §2.6). */
export const DeploymentPatch = Type.Object({
  /** Read-only; accepted because clients send back what they read. */
  name: Type.Optional(Type.String()),
  source: Type.Optional(SourceSpelling),
  display_name: Type.Optional(Text),
  access: Type.Optional(AgentAccess),
  source_config: Type.Optional(SourceConfig),
  source_revision_config: Type.Optional(SourceRevisionConfig),
  secrets: Type.Optional(Secrets),
  /** An empty list clears; omitting it keeps the current value. */
  secret_references: Type.Optional(SecretReferences),
  /** With `replace` an empty list clears the environment; `merge` keeps secrets that are not named. */
  secrets_mode: Type.Optional(StringEnum(['carry', 'replace', 'merge'])),
  /** Extension, with `merge`: names to remove. */
  removed_secrets: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 500 })),
  revision_source: Type.Optional(SourceSpelling),
  /** Extension: shown in the revision's timeline. */
  reason: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
  /** Deploys the revision as a canary. */
  canary: Type.Optional(CanaryRequest),
});

export const Deployment = Type.Object({
  id: Uuid,
  tenant_id: Uuid,
  name: Type.String(),
  display_name: Text,
  access: AgentAccess,
  source: StringEnum(SOURCES),
  source_config: SourceConfig,
  source_revision_config: ShownConfig,
  secrets: Type.Array(Type.Object({ name: Type.String(), value: Text })),
  secret_references: SecretReferences,
  created_at: Timestamp,
  updated_at: Timestamp,
  status: StringEnum(DEPLOYMENT_STATUSES),
  latest_revision_id: Type.Union([Uuid, Type.Null()]),
  active_revision_id: Type.Union([Uuid, Type.Null()]),
  image_version: Text,
  is_preview: Type.Boolean(),
  /** The deployment and pull request this previews. */
  preview_of: Type.Union([Uuid, Type.Null()]),
  preview_number: Type.Union([Type.Integer(), Type.Null()]),
  remote_reconciled: Type.Boolean(),
});

/** A deployment row with the configuration of its latest revision. */
export interface DeploymentRow {
  id: string;
  tenant_id: string;
  name: string;
  display_name: string | null;
  access: AgentAccess;
  source: Source;
  source_config: Record<string, unknown>;
  status: DeploymentStatus;
  latest_revision_id: string | null;
  active_revision_id: string | null;
  image_version: string | null;
  is_preview: boolean;
  preview_of: string | null;
  preview_number: number | null;
  remote_reconciled: boolean;
  version: number;
  created_at: string;
  updated_at: string;
  /** From the latest revision; null when there is none. */
  source_revision_config: Record<string, unknown> | null;
  environment: Buffer | null;
  secret_references: SecretReferences;
}
