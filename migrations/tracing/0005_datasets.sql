create table tracing.dataset (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  data_type text not null default 'kv',
  inputs_schema_definition json,
  outputs_schema_definition json,
  transformations json,
  externally_managed boolean not null default false,
  extra jsonb not null default '{}',
  -- Time of the last change to its examples; strictly increasing whatever the clock says.
  version_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  created_at timestamptz not null default clock_timestamp(),
  modified_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);
create index dataset_newest on tracing.dataset (tenant_id, created_at desc, id);

-- Every change to examples creates a version of their dataset.
create table tracing.dataset_version (
  tenant_id uuid not null,
  dataset_id uuid not null,
  as_of timestamptz not null,
  primary key (tenant_id, dataset_id, as_of),
  foreign key (tenant_id, dataset_id) references tracing.dataset (tenant_id, id) on delete cascade
);
create table tracing.dataset_tag (
  tenant_id uuid not null,
  dataset_id uuid not null,
  tag text not null,
  as_of timestamptz not null,
  primary key (tenant_id, dataset_id, tag),
  foreign key (tenant_id, dataset_id) references tracing.dataset (tenant_id, id) on delete cascade
);

-- Grants read access to a dataset by token, without an API key.
create table tracing.dataset_share (
  token uuid primary key,
  tenant_id uuid not null,
  dataset_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, dataset_id),
  foreign key (tenant_id, dataset_id) references tracing.dataset (tenant_id, id) on delete cascade
);

-- The state of an example between two versions of its dataset. The current state has no end.
create table tracing.example (
  tenant_id uuid not null,
  id uuid not null,
  dataset_id uuid not null,
  valid_from timestamptz not null,
  valid_to timestamptz,
  inputs json not null,
  outputs json,
  -- Splits are the list `dataset_split`.
  metadata jsonb not null default '{}',
  source_run_id uuid,
  created_at timestamptz not null,
  primary key (tenant_id, id, valid_from),
  foreign key (tenant_id, dataset_id) references tracing.dataset (tenant_id, id) on delete cascade
);
create unique index example_current on tracing.example (tenant_id, id) where valid_to is null;
create index example_of_dataset on tracing.example (tenant_id, dataset_id, created_at desc, id) where valid_to is null;
create index example_history on tracing.example (tenant_id, dataset_id, valid_from);

create table tracing.example_attachment (
  tenant_id uuid not null,
  example_id uuid not null,
  valid_from timestamptz not null,
  name text not null,
  mime_type text not null,
  sha256 bytea not null,
  primary key (tenant_id, example_id, valid_from, name),
  foreign key (tenant_id, example_id, valid_from) references tracing.example (tenant_id, id, valid_from) on delete cascade
);
create index example_attachment_of_blob on tracing.example_attachment (tenant_id, sha256);

-- Pairwise comparisons of experiments.
create table tracing.comparative_experiment (
  tenant_id uuid not null,
  id uuid not null,
  name text,
  description text,
  reference_dataset_id uuid not null,
  experiment_ids uuid[] not null,
  extra jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  modified_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  foreign key (tenant_id, reference_dataset_id) references tracing.dataset (tenant_id, id) on delete cascade
);
create index comparative_of_dataset on tracing.comparative_experiment (tenant_id, reference_dataset_id, created_at desc);
create index if not exists project_of_dataset on tracing.project (tenant_id, reference_dataset_id)
  where reference_dataset_id is not null;

-- Queues of runs for human review.
create table tracing.annotation_queue (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  default_dataset uuid,
  rubric_instructions text,
  rubric_items json,
  num_reviewers_per_item integer default 1,
  enable_reservations boolean not null default true,
  reservation_minutes integer default 1,
  reviewer_access_mode text not null default 'any',
  queue_type text not null default 'single',
  metadata jsonb not null default '{}',
  session_ids uuid[] not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id)
);
create index annotation_queue_newest on tracing.annotation_queue (tenant_id, created_at desc, id);

create table tracing.annotation_queue_run (
  tenant_id uuid not null,
  id uuid not null,
  queue_id uuid not null,
  -- The run may arrive later.
  run_id uuid not null,
  source_proposed_example_id uuid,
  added_at timestamptz not null default clock_timestamp(),
  last_reviewed_time timestamptz,
  reserved_by text[] not null default '{}',
  completed_by text[] not null default '{}',
  -- When the required number of reviewers had completed it.
  completed_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, queue_id, run_id),
  foreign key (tenant_id, queue_id) references tracing.annotation_queue (tenant_id, id) on delete cascade
);
create index annotation_queue_run_next on tracing.annotation_queue_run (tenant_id, queue_id, added_at, id);
create index annotation_queue_run_of_run on tracing.annotation_queue_run (tenant_id, run_id);
