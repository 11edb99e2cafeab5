create schema if not exists control_plane;

-- What a team deploys. `environment` is sealed; a row goes when everything of it is removed.
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
  -- Counts changes: what ETag and If-Match compare.
  version integer not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create unique index deployment_name on control_plane.deployment (tenant_id, name);
create index deployment_newest on control_plane.deployment (tenant_id, created_at desc, id desc);

-- What was deployed, or is going to be: immutable but for its progress.
create table control_plane.revision (
  id uuid primary key,
  deployment_id uuid not null references control_plane.deployment on delete cascade,
  number integer not null,
  source text not null,
  source_config jsonb not null,
  source_revision_config jsonb not null,
  -- The whole environment, sealed: what was deployed can be deployed again.
  environment bytea not null,
  status text not null default 'CREATING',
  status_message text,
  -- Content address of what was built; with it a revision can be deployed again without a build.
  artifact text,
  created_by text,
  reason text not null,
  -- Never skipped for a newer one: redeploys and rollbacks.
  pinned boolean not null default false,
  remote_reconciled boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (deployment_id, number)
);
create index revision_newest on control_plane.revision (deployment_id, created_at desc, id desc);
create index revision_unfinished on control_plane.revision (updated_at)
  where status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING');

-- Each step a revision has taken, and why.
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
  -- `build` or `deploy`: of the builder, or of what runs.
  phase text not null,
  level text not null,
  message text not null,
  at timestamptz not null default clock_timestamp()
);
create index log_line_of_revision on control_plane.log_line (revision_id, phase, id);
create index log_line_of_deployment on control_plane.log_line (deployment_id, phase, id);

-- Who may ask. Only a hash of a key is kept; the first key is made at the first start.
create table control_plane.api_key (
  id uuid primary key,
  hash bytea not null unique,
  -- The end of the key, for people to tell one from another.
  hint text not null,
  -- Null for a key that is good for every tenant: its requests must name one.
  tenant_id uuid,
  name text not null,
  role text not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz
);
