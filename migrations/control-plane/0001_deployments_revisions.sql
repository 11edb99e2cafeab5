create schema if not exists control_plane;

-- Deployments. `environment` is encrypted; the row is deleted once everything of the deployment is removed.
create table control_plane.deployment (
  id uuid primary key,
  tenant_id uuid not null,
  name text not null,
  display_name text,
  source text not null,
  source_config jsonb not null default '{}',
  status text not null default 'AWAITING_DATABASE',
  latest_revision_id uuid,
  active_revision_id uuid,
  image_version text,
  is_preview boolean not null default false,
  remote_reconciled boolean not null default false,
  next_number integer not null default 1,
  -- Change counter, for ETag and If-Match.
  version integer not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create unique index deployment_name on control_plane.deployment (tenant_id, name);
create index deployment_newest on control_plane.deployment (tenant_id, created_at desc, id desc);

-- Revisions: immutable apart from their progress.
create table control_plane.revision (
  id uuid primary key,
  deployment_id uuid not null references control_plane.deployment on delete cascade,
  number integer not null,
  source text not null,
  source_config jsonb not null,
  source_revision_config jsonb not null,
  -- The whole environment, encrypted, so that the revision can be redeployed.
  environment bytea not null,
  status text not null default 'CREATING',
  status_message text,
  -- Digest of the build, with which a revision can be redeployed without a build.
  artifact text,
  created_by text,
  reason text not null,
  -- Redeploys and rollbacks are never skipped in favour of a newer revision.
  pinned boolean not null default false,
  remote_reconciled boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (deployment_id, number)
);
create index revision_newest on control_plane.revision (deployment_id, created_at desc, id desc);
create index revision_unfinished on control_plane.revision (updated_at)
  where status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING');

-- The steps of each revision, with reasons.
create table control_plane.revision_step (
  revision_id uuid not null references control_plane.revision on delete cascade,
  number integer generated always as identity,
  status text not null,
  message text,
  at timestamptz not null default clock_timestamp(),
  primary key (revision_id, number)
);

create table control_plane.log_line (
  id bigint generated always as identity primary key,
  deployment_id uuid not null references control_plane.deployment on delete cascade,
  revision_id uuid not null references control_plane.revision on delete cascade,
  -- `build` for the builder's output, `deploy` for the agent's.
  phase text not null,
  level text not null,
  message text not null,
  at timestamptz not null default clock_timestamp()
);
create index log_line_of_revision on control_plane.log_line (revision_id, phase, id);
create index log_line_of_deployment on control_plane.log_line (deployment_id, phase, id);

-- API keys. Only a hash is stored; the first start creates the first key.
create table control_plane.api_key (
  id uuid primary key,
  hash bytea not null unique,
  -- The end of the key, to recognise it by.
  hint text not null,
  -- Null for a key of all tenants, whose requests must name one.
  tenant_id uuid,
  name text not null,
  role text not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz
);
