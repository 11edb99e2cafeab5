-- All keys of a JSON value with their values as text. Nested keys are dotted, and lists add no index. Must match
-- flatPairs of the filter language.
create function tracing.pairs(object jsonb) returns table (key text, value text)
language sql immutable parallel safe rows 20 as $$
  with recursive pair (key, value) as (
    select o.key, o.value from jsonb_each(case jsonb_typeof(object) when 'object' then object else '{}' end) as o
    union all
    select p.key || coalesce('.' || inside.key, ''), inside.value
    from pair p cross join lateral (
      select o.key, o.value from jsonb_each(case jsonb_typeof(p.value) when 'object' then p.value else '{}' end) as o
      union all
      select null, a.value
      from jsonb_array_elements(case jsonb_typeof(p.value) when 'array' then p.value else '[]' end) as a) as inside)
  select key, value #>> '{}' from pair
$$;

-- Errors are rare and often searched for.
create index run_errors on tracing.run (tenant_id, project_id, start_time desc, id) where error is not null;

-- Statistics of runs that started in a minute, by the most common filters. Tokens and costs are sums.
create table tracing.run_minute (
  tenant_id uuid not null,
  project_id uuid not null,
  minute timestamptz not null,
  is_root boolean not null,
  run_type text not null,
  runs bigint not null,
  errors bigint not null,
  streamed bigint not null,
  ended bigint not null,
  seconds double precision not null,
  last_start_time timestamptz not null,
  total_tokens numeric not null,
  prompt_tokens numeric not null,
  completion_tokens numeric not null,
  total_cost numeric,
  prompt_cost numeric,
  completion_cost numeric,
  primary key (tenant_id, project_id, minute, is_root, run_type)
);

-- Histogram of these runs: bucket b covers 1.05^b to 1.05^(b+1), -1000 everything non-positive.
create table tracing.run_minute_histogram (
  tenant_id uuid not null,
  project_id uuid not null,
  minute timestamptz not null,
  is_root boolean not null,
  run_type text not null,
  kind text not null,
  buckets smallint[] not null,
  counts integer[] not null,
  primary key (tenant_id, project_id, minute, is_root, run_type, kind)
);

-- The same for whole hours, whose start is in `minute`, so that a day needs 24 rows.
create table tracing.run_hour (like tracing.run_minute including all);
create table tracing.run_hour_histogram (like tracing.run_minute_histogram including all);

create function tracing.bucket(value double precision) returns smallint
language sql immutable parallel safe as $$
  select case when value > 1e-9 then floor(ln(least(value, 1e15)) / ln(1.05))::smallint when value is not null then -1000 end
$$;

-- Minutes to recount. Every writer adds its own row, so that writers do not block each other and no mark is removed
-- by a count that missed its writes.
create table tracing.run_minute_mark (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  project_id uuid not null,
  minutes timestamptz[] not null
);
create index run_minute_mark_of_project on tracing.run_minute_mark (tenant_id, project_id);

create function tracing.mark_minutes() returns trigger language plpgsql as $$
begin
  insert into tracing.run_minute_mark (tenant_id, project_id, minutes)
  select tenant_id, project_id, array_agg(distinct date_trunc('minute', start_time)) from changed group by 1, 2;
  return null;
end $$;
create function tracing.mark_moved_minutes() returns trigger language plpgsql as $$
begin
  insert into tracing.run_minute_mark (tenant_id, project_id, minutes)
  select tenant_id, project_id, array_agg(distinct date_trunc('minute', start_time))
  from (select tenant_id, project_id, start_time from before union all
        select tenant_id, project_id, start_time from after) as changed group by 1, 2;
  return null;
end $$;
create trigger run_inserted after insert on tracing.run
  referencing new table as changed for each statement execute function tracing.mark_minutes();
create trigger run_updated after update on tracing.run
  referencing old table as before new table as after for each statement execute function tracing.mark_moved_minutes();
create trigger run_deleted after delete on tracing.run
  referencing old table as changed for each statement execute function tracing.mark_minutes();
