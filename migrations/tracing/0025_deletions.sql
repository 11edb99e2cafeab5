-- Requests to delete projects and traces. Activities check them, because anything that reaches Temporal could start one.
create table tracing.deletion (
  tenant_id uuid not null,
  target_id uuid not null,
  asked_at timestamptz not null default now(),
  primary key (tenant_id, target_id)
);
