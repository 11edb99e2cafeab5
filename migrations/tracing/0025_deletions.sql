-- The projects and traces that people asked to delete: what deletes them checks it, as a workflow could say anything.
create table tracing.deletion (
  tenant_id uuid not null,
  target_id uuid not null,
  asked_at timestamptz not null default now(),
  primary key (tenant_id, target_id)
);
