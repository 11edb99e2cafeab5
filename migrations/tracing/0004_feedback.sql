-- Feedback by people, models and programs on a run or a project. May arrive before its run.
create table tracing.feedback (
  tenant_id uuid not null,
  id uuid not null,
  -- Null for feedback on a project.
  run_id uuid,
  trace_id uuid,
  -- Null while unknown because the run has not arrived.
  project_id uuid,
  key text not null,
  score double precision,
  value jsonb,
  comment text,
  correction jsonb,
  source jsonb not null default '{}',
  source_type text not null default 'api',
  feedback_group_id uuid,
  comparative_experiment_id uuid,
  extra jsonb,
  error boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  modified_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id)
);
create index feedback_of_run on tracing.feedback (tenant_id, run_id, key) where run_id is not null;
create index feedback_of_project on tracing.feedback (tenant_id, project_id, key);
create index feedback_newest on tracing.feedback (tenant_id, created_at desc, id);
create index feedback_of_comparison on tracing.feedback (tenant_id, comparative_experiment_id)
  where comparative_experiment_id is not null;
create index feedback_awaiting on tracing.feedback (tenant_id, created_at) where project_id is null;

-- Tokens whose URLs accept feedback for one key and run without an API key.
create table tracing.feedback_token (
  id uuid primary key,
  tenant_id uuid not null,
  run_id uuid not null,
  feedback_key text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);
create index feedback_token_of_run on tracing.feedback_token (tenant_id, run_id, created_at);

-- How to interpret the values of a feedback key.
create table tracing.feedback_config (
  tenant_id uuid not null,
  feedback_key text not null,
  feedback_config jsonb not null,
  is_lower_score_better boolean not null default false,
  modified_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, feedback_key)
);
