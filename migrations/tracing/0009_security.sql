-- Masking rules applied to a tenant's runs before storage: [{pattern, replacement}].
create table tracing.mask (
  tenant_id uuid primary key,
  rules jsonb not null
);

-- Exports of a tenant's runs. Parts are consecutive gzip members.
create table tracing.bulk_export (
  id uuid primary key,
  tenant_id uuid not null,
  project_id uuid not null,
  start_time timestamptz,
  end_time timestamptz,
  status text not null default 'Created' check (status in ('Created', 'Running', 'Completed', 'Failed')),
  -- Last exported run: `start_time id`.
  cursor_start timestamptz,
  cursor_id uuid,
  runs bigint not null default 0,
  bytes bigint not null default 0,
  parts integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);
create index bulk_export_newest on tracing.bulk_export (tenant_id, created_at desc);
create table tracing.bulk_export_part (
  tenant_id uuid not null,
  export_id uuid not null references tracing.bulk_export on delete cascade,
  number integer not null,
  bytes bytea not null,
  primary key (export_id, number)
);
alter table tracing.bulk_export_part alter column bytes set storage external;

-- Creates the partitions of a week once, on behalf of writers. Rows of a dropped week that already went to the
-- default partition stay there.
create or replace function tracing.ensure_week(monday date) returns void language plpgsql
  security definer set search_path = pg_catalog as $$
declare
  suffix text := to_char(monday, 'YYYYMMDD');
begin
  if to_regclass('tracing.run_' || suffix) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext('tracing.ensure_week'));
  if to_regclass('tracing.run_' || suffix) is not null then return; end if;
  begin
    execute format('create table tracing.%I partition of tracing.run for values from (%L) to (%L) with (fillfactor = 85)',
      'run_' || suffix, monday::timestamptz, (monday + 7)::timestamptz);
  exception when check_violation then null;
  end;
  if to_regclass('tracing.body_block_' || suffix) is not null then return; end if;
  begin
    execute format('create table tracing.%I partition of tracing.body_block for values from (%L) to (%L)',
      'body_block_' || suffix, monday, monday + 7);
  exception when check_violation then null;
  end;
end $$;

-- Row-level security. Requests use the role slipway_tracing and see rows of the tenant in slipway.tenant; workflows
-- use the owner of the tables, who is exempt. Called on every start, because new tables need a policy and database
-- dumps contain no roles.
create function tracing.secure() returns boolean language plpgsql as $$
declare
  item record;
begin
  perform pg_advisory_xact_lock(hashtext('tracing.secure'));
  if not exists (select from pg_roles where rolname = 'slipway_tracing') then
    begin
      create role slipway_tracing nologin;
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then return false;
    end;
  end if;
  if not pg_has_role(current_user, 'slipway_tracing', 'member') then
    begin
      execute format('grant slipway_tracing to %I', current_user);
    exception when insufficient_privilege then return false;
    end;
  end if;
  if not has_schema_privilege('slipway_tracing', 'tracing', 'usage') then
    grant usage on schema tracing to slipway_tracing;
  end if;
  for item in
    select c.oid, c.relname, c.relkind, c.relrowsecurity,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as has_tenant
    from pg_class c where c.relnamespace = 'tracing'::regnamespace and c.relkind in ('r', 'p', 'S')
      and not c.relispartition
  loop
    if item.relkind = 'S' then
      if not has_sequence_privilege('slipway_tracing', item.oid, 'usage') then
        execute format('grant usage, select on sequence tracing.%I to slipway_tracing', item.relname);
      end if;
      continue;
    end if;
    if not has_table_privilege('slipway_tracing', item.oid, 'delete') then
      execute format('grant select, insert, update, delete on tracing.%I to slipway_tracing', item.relname);
    end if;
    if item.has_tenant and not item.relrowsecurity then
      execute format('alter table tracing.%I enable row level security', item.relname);
      -- Evaluated once per query rather than once per row.
      execute format($policy$create policy tenant on tracing.%I to slipway_tracing using (
        tenant_id = (select nullif(current_setting('slipway.tenant', true), '')::uuid)
        or (select current_setting('slipway.tenant', true)) = '00000000-0000-0000-0000-000000000000')$policy$,
        item.relname);
    end if;
  end loop;
  -- Only leakproof functions can be evaluated before the policy and use an index. These never fail, so they leak
  -- nothing. Only a superuser may declare that; without it, searches by metadata and tags read more rows.
  begin
    for item in
      select p.oid::regprocedure as name from pg_proc p
      where p.pronamespace = 'pg_catalog'::regnamespace and not p.proleakproof
        and p.proname in ('jsonb_contains', 'jsonb_exists', 'jsonb_exists_any', 'arraycontains', 'arrayoverlap',
          'textlike', 'texticlike', 'ts_match_vq', 'numeric_eq', 'numeric_lt', 'numeric_le', 'numeric_gt', 'numeric_ge')
    loop
      execute format('alter function %s leakproof', item.name);
    end loop;
  exception when insufficient_privilege then null;
  end;
  return true;
end $$;
select tracing.secure();
