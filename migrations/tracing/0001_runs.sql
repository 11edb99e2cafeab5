create schema if not exists tracing;

-- Groups of runs; `session` on the wire.
create table tracing.project (
  id uuid primary key,
  tenant_id uuid not null,
  name text not null,
  description text,
  extra jsonb not null default '{}',
  reference_dataset_id uuid,
  default_dataset_id uuid,
  trace_tier text,
  start_time timestamptz not null default clock_timestamp(),
  end_time timestamptz,
  -- Retention of runs in days; null means the platform's default.
  retention_days integer check (retention_days > 0),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, name)
);
create index project_newest on tracing.project (tenant_id, start_time desc, id);

-- A logged call without inputs and outputs, which are in body_block.
create table tracing.run (
  tenant_id uuid not null,
  id uuid not null,
  -- From the last segment of dotted_order if given, so that post and patch agree.
  start_time timestamptz not null,
  project_id uuid not null,
  trace_id uuid not null,
  parent_run_id uuid,
  dotted_order text not null,
  name text,
  run_type text,
  end_time timestamptz,
  first_token_time timestamptz,
  error text,
  status text generated always as
    (case when error is not null then 'error' when end_time is not null then 'success' else 'pending' end) stored,
  tags text[],
  metadata jsonb,
  thread_id text,
  reference_example_id uuid,
  prompt_tokens bigint,
  completion_tokens bigint,
  total_tokens bigint,
  prompt_cost numeric,
  completion_cost numeric,
  total_cost numeric,
  -- Details of tokens and costs, the model and price used, and whether they are estimated.
  usage jsonb,
  inputs_preview text,
  outputs_preview text,
  -- Locations in body_block; see src/tracing/bodies.
  inputs bigint,
  outputs bigint,
  events bigint,
  extra bigint,
  serialized bigint,
  -- One bit per column set by a patch, which a post no longer changes.
  patched integer not null default 0,
  -- False while only a patch has arrived; such runs are not listed.
  is_posted boolean not null default true,
  inserted_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id, start_time)
) partition by range (start_time);
create index run_newest on tracing.run (tenant_id, project_id, start_time desc, id);
create index run_roots on tracing.run (tenant_id, project_id, start_time desc, id) where parent_run_id is null;
create index run_of_trace on tracing.run (tenant_id, trace_id, dotted_order);
create index run_of_thread on tracing.run (tenant_id, thread_id, start_time desc) where thread_id is not null;
create index run_of_example on tracing.run (tenant_id, reference_example_id) where reference_example_id is not null;
create index run_metadata on tracing.run using gin (metadata jsonb_path_ops);
create index run_tags on tracing.run using gin (tags);

-- For implausible times such as the year 1.
create table tracing.run_outside partition of tracing.run default;

-- Runs known only from a patch, stored at a guessed time.
create table tracing.run_awaited (
  tenant_id uuid not null,
  id uuid not null,
  start_time timestamptz not null,
  primary key (tenant_id, id)
);

-- Compressed bodies of runs that arrived together. `week` is the week of arrival, whose partition is dropped as a
-- whole.
create sequence tracing.body_block_id maxvalue 67108863 cycle;
create table tracing.body_block (
  week date not null,
  id bigint not null,
  tenant_id uuid not null,
  project_id uuid not null,
  bytes bytea not null,
  primary key (week, id)
) partition by range (week);
alter table tracing.body_block alter column bytes set storage external;
create index body_block_of_project on tracing.body_block (tenant_id, project_id);
create table tracing.body_block_outside partition of tracing.body_block default;

-- Attachments of runs and examples by content hash, so that an image sent with every turn is stored once.
create table tracing.blob (
  tenant_id uuid not null,
  sha256 bytea not null,
  size bigint not null,
  -- Encrypted.
  bytes bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, sha256)
);
alter table tracing.blob alter column bytes set storage external;
create table tracing.attachment (
  tenant_id uuid not null,
  run_id uuid not null,
  name text not null,
  mime_type text not null,
  sha256 bytea not null,
  primary key (tenant_id, run_id, name)
);
create index attachment_of_blob on tracing.attachment (tenant_id, sha256);

-- Creates the partitions of a week once.
create function tracing.ensure_week(monday date) returns void language plpgsql as $$
declare
  suffix text := to_char(monday, 'YYYYMMDD');
begin
  if to_regclass('tracing.run_' || suffix) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext('tracing.ensure_week'));
  if to_regclass('tracing.run_' || suffix) is not null then return; end if;
  execute format('create table tracing.%I partition of tracing.run for values from (%L) to (%L) with (fillfactor = 85)',
    'run_' || suffix, monday::timestamptz, (monday + 7)::timestamptz);
  execute format('create table tracing.%I partition of tracing.body_block for values from (%L) to (%L)',
    'body_block_' || suffix, monday, monday + 7);
end $$;
