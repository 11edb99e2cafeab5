-- Grants read access to all traces of a thread, including later ones, by token.
create table tracing.thread_share (
  token uuid primary key,
  tenant_id uuid not null,
  project_id uuid not null,
  thread_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, project_id, thread_id)
);
