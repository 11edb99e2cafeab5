-- A tenant's public name as the owner of prompts.
create table tracing.hub_settings (
  tenant_id uuid primary key,
  tenant_handle text unique,
  created_at timestamptz not null default clock_timestamp()
);

-- Prompts, and directories of agents and skills, each with a linear history of commits.
create table tracing.repo (
  id uuid primary key,
  tenant_id uuid not null,
  repo_handle text not null,
  repo_type text not null default 'prompt',
  description text,
  readme text,
  tags text[] not null default '{}',
  is_public boolean not null default false,
  is_archived boolean not null default false,
  num_downloads bigint not null default 0,
  num_views bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, repo_handle)
);
create index repo_public on tracing.repo (repo_handle) where is_public;

create table tracing.repo_commit (
  id uuid primary key,
  repo_id uuid not null references tracing.repo on delete cascade,
  -- From 1, without gaps.
  number integer not null,
  commit_hash text not null,
  parent_commit_hash text,
  -- Unchanged as pushed.
  manifest json not null,
  description text,
  example_run_ids uuid[] not null default '{}',
  num_downloads bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  unique (repo_id, number),
  unique (repo_id, commit_hash)
);

create table tracing.repo_tag (
  id uuid not null,
  repo_id uuid not null references tracing.repo on delete cascade,
  tag_name text not null,
  commit_id uuid not null references tracing.repo_commit on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (repo_id, tag_name)
);

create table tracing.repo_like (
  repo_id uuid not null references tracing.repo on delete cascade,
  tenant_id uuid not null,
  liked_by text not null,
  primary key (repo_id, tenant_id, liked_by)
);
