-- Traces with extended retention, by the run that was named, which may arrive later; its trace is filled in then.
create table tracing.kept_run (
  tenant_id uuid not null,
  run_id uuid not null,
  trace_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, run_id)
);
create index kept_run_of_trace on tracing.kept_run (tenant_id, trace_id);
create index kept_run_awaiting on tracing.kept_run (created_at) where trace_id is null;
insert into tracing.kept_run (tenant_id, run_id)
  select distinct tenant_id, run_id from tracing.feedback where run_id is not null;

-- Retention of the long tier in days, if it differs from the platform's.
alter table tracing.project add column longlived_ttl_days integer check (longlived_ttl_days > 0);
