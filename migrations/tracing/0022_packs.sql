-- Runs of traces that are over, packed: those of a project that began about the same time are one row, a column of
-- arrays each, which Postgres compresses. Previews are those of roots, which lists show; of others they are '' and made
-- from bodies again. See src/tracing/packs.
create table tracing.run_pack (
  -- Who asks for pack 0 alone asks for none of these, and that is known before anything is read.
  pack bigint generated always as identity primary key check (pack > 0),
  tenant_id uuid not null,
  project_id uuid not null,
  first_start timestamptz not null,
  last_start timestamptz not null,
  -- By which its runs may be asked for; see tracing.pack_key.
  keys integer[] not null,
  id uuid[] not null,
  start_time timestamptz[] not null,
  trace_id uuid[] not null,
  parent_run_id uuid[] not null,
  orphan_of uuid[] not null,
  -- The dotted order above the run's own segment, and the segment if it does not follow from time and id.
  above text[] not null,
  segment text[] not null,
  name text[] not null,
  run_type text[] not null,
  end_time timestamptz[] not null,
  first_token_time timestamptz[] not null,
  error text[] not null,
  -- As text: arrays of arrays are rectangular, and jsonb is larger when it is compressed.
  tags text[] not null,
  metadata text[] not null,
  usage text[] not null,
  thread_id text[] not null,
  reference_example_id uuid[] not null,
  prompt_tokens bigint[] not null,
  completion_tokens bigint[] not null,
  total_tokens bigint[] not null,
  prompt_cost numeric[] not null,
  completion_cost numeric[] not null,
  total_cost numeric[] not null,
  inputs_preview text[] not null,
  outputs_preview text[] not null,
  inputs bigint[] not null,
  outputs bigint[] not null,
  events bigint[] not null,
  extra bigint[] not null,
  serialized bigint[] not null,
  patched integer[] not null,
  is_posted boolean[] not null,
  inserted_at timestamptz[] not null,
  updated_at timestamptz[] not null,
  -- What tracing.any_run tells of a run from the others of its trace, which are all in the same pack.
  owns_usage boolean[] not null,
  root_tags text[] not null
);
create index run_pack_of_project on tracing.run_pack (project_id, last_start);
create index run_pack_of_tenant on tracing.run_pack (tenant_id, last_start);
create index run_pack_keys on tracing.run_pack using gin (keys) with (fastupdate = off);

-- What runs are found by, as numbers: ids by their last digits, other values, as `kind:value`, by a hash. Different
-- ones may have the same.
create function tracing.pack_key(value text) returns integer language sql immutable strict parallel safe as
  $$ select ('x' || left(md5(value), 8))::bit(32)::integer $$;
create function tracing.pack_key(id uuid) returns integer language sql immutable strict parallel safe as
  $$ select ('x' || right(id::text, 8))::bit(32)::integer $$;

-- The packs that may contain runs with one of these keys. A function, because the planner can't estimate lists of keys.
-- Also returns numbers of other tenants' packs, which only they can read.
create function tracing.packs_with(wanted integer[]) returns bigint[] language plpgsql stable parallel safe cost 100000
  security definer set search_path = pg_catalog set enable_seqscan = off as
  $$ begin return array(select pack from tracing.run_pack where keys && wanted); end $$;
create function tracing.packs_with_ids(ids uuid[]) returns bigint[] language sql stable parallel safe cost 100000 as
  $$ select tracing.packs_with(array(select tracing.pack_key(id) from unnest(ids) id)) $$;
create function tracing.packs_saying(said text[]) returns bigint[] language sql stable parallel safe cost 100000 as
  $$ select tracing.packs_with(array(select tracing.pack_key(value) from unnest(said) value)) $$;

-- True. Tells who plans a query what it takes to read a pack: as much as some thousand pages.
create function tracing.is_worth_unpacking(pack bigint) returns boolean language plpgsql stable parallel safe
  cost 400000 as $$ begin return true; end $$;

-- Rows again, in the order they are in the pack.
create function tracing.unpacked(k tracing.run_pack) returns table (
  id uuid, start_time timestamptz, trace_id uuid, parent_run_id uuid, orphan_of uuid, dotted_order text, name text,
  run_type text, end_time timestamptz, first_token_time timestamptz, error text, status text, tags text[], metadata jsonb,
  usage jsonb, thread_id text, reference_example_id uuid, prompt_tokens bigint, completion_tokens bigint,
  total_tokens bigint, prompt_cost numeric, completion_cost numeric, total_cost numeric, inputs_preview text,
  outputs_preview text, inputs bigint, outputs bigint, events bigint, extra bigint, serialized bigint, patched integer, is_posted boolean, inserted_at timestamptz,
  updated_at timestamptz, owns_usage boolean, root_tags text[])
language sql stable rows 2000 as $$
  select u.id, u.start_time, u.trace_id, u.parent_run_id, u.orphan_of,
    coalesce(u.above, '') || coalesce(u.segment, to_char(u.start_time at time zone 'UTC', 'YYYYMMDD"T"HH24MISSUS"Z"') || u.id),
    u.name, u.run_type, u.end_time, u.first_token_time, u.error,
    case when u.error is not null then 'error' when u.end_time is not null then 'success' else 'pending' end,
    u.tags::text[], u.metadata::jsonb, u.usage::jsonb, u.thread_id, u.reference_example_id, u.prompt_tokens,
    u.completion_tokens, u.total_tokens, u.prompt_cost, u.completion_cost, u.total_cost,
    u.inputs_preview, u.outputs_preview, u.inputs, u.outputs, u.events, u.extra, u.serialized, u.patched, u.is_posted,
    u.inserted_at, u.updated_at, u.owns_usage, u.root_tags::text[]
  from unnest(k.id, k.start_time, k.trace_id, k.parent_run_id, k.orphan_of, k.above, k.segment, k.name, k.run_type,
    k.end_time, k.first_token_time, k.error, k.tags, k.metadata, k.usage, k.thread_id, k.reference_example_id,
    k.prompt_tokens, k.completion_tokens, k.total_tokens, k.prompt_cost, k.completion_cost, k.total_cost,
    k.inputs_preview, k.outputs_preview, k.inputs, k.outputs, k.events, k.extra, k.serialized, k.patched, k.is_posted, k.inserted_at, k.updated_at, k.owns_usage,
    k.root_tags)
    as u (id, start_time, trace_id, parent_run_id, orphan_of, above, segment, name, run_type, end_time, first_token_time,
      error, tags, metadata, usage, thread_id, reference_example_id, prompt_tokens, completion_tokens, total_tokens,
      prompt_cost, completion_cost, total_cost, inputs_preview, outputs_preview, inputs, outputs, events, extra,
      serialized, patched, is_posted, inserted_at, updated_at, owns_usage, root_tags)
$$;

-- All runs, packed or not; `pack` is 0 for unpacked ones. Queries narrow them by project, by `pack`, and by
-- `pack_first` and `pack_last`, between which all runs of a pack started.
create view tracing.any_run with (security_invoker = true) as
  select r.tenant_id, r.id, r.start_time, r.project_id, r.trace_id, r.parent_run_id, r.orphan_of, r.dotted_order, r.name,
    r.run_type, r.end_time, r.first_token_time, r.error, r.status, r.tags, r.metadata, r.usage, r.thread_id,
    r.reference_example_id, r.prompt_tokens, r.completion_tokens, r.total_tokens, r.prompt_cost, r.completion_cost,
    r.total_cost, r.inputs_preview, r.outputs_preview, r.inputs, r.outputs, r.events, r.extra, r.serialized, r.patched,
    r.is_posted, r.inserted_at, r.updated_at,
    -- Whether its tokens and costs count for its trace: every model call, and what states its own without a descendant
    -- that has any. A parent that repeats what its child used is never counted.
    (r.total_tokens is not null or r.total_cost is not null) and (r.run_type in ('llm', 'embedding') or not exists (
      select from tracing.run below where below.tenant_id = r.tenant_id and below.trace_id = r.trace_id
        and starts_with(below.dotted_order, r.dotted_order || '.')
        and (below.total_tokens is not null or below.total_cost is not null))) as owns_usage,
    -- Clients tag the root: of what was used below it, its tags.
    case when r.parent_run_id is not null and (r.total_tokens is not null or r.total_cost is not null)
      then coalesce((select root.tags from tracing.run root where root.tenant_id = r.tenant_id
        and root.trace_id = r.trace_id and root.parent_run_id is null limit 1), '{}') end as root_tags,
    0::bigint as pack, r.start_time as pack_first, r.start_time as pack_last
  from tracing.run r
  union all
  select k.tenant_id, u.id, u.start_time, k.project_id, u.trace_id, u.parent_run_id, u.orphan_of, u.dotted_order, u.name,
    u.run_type, u.end_time, u.first_token_time, u.error, u.status, u.tags, u.metadata, u.usage, u.thread_id,
    u.reference_example_id, u.prompt_tokens, u.completion_tokens, u.total_tokens, u.prompt_cost, u.completion_cost,
    u.total_cost, u.inputs_preview, u.outputs_preview, u.inputs, u.outputs, u.events, u.extra, u.serialized, u.patched, u.is_posted,
    u.inserted_at, u.updated_at, u.owns_usage, u.root_tags, k.pack, k.first_start, k.last_start
  from tracing.run_pack k cross join lateral tracing.unpacked(k) u where tracing.is_worth_unpacking(k.pack);

-- Fails to signal that something exists.
create function tracing.expect_none(is_there boolean) returns void language plpgsql as $$
begin
  if is_there then raise exception 'some runs are packed' using errcode = 'SL002'; end if;
end $$;

-- Unpacks packs into rows; waits for concurrent packing and unpacking. An existing row, written by code that knows
-- nothing of packs, is newer than the packed run and is merged as such (as in src/tracing/ingest/upsert-sql): the
-- latest pack is unpacked first. All callers lock packs in this order, so none waits for one that waits for it.
create function tracing.unpack(packs bigint[]) returns void language plpgsql as $$
declare
  packing text := coalesce(current_setting('slipway.packing', true), '');
  one bigint;
begin
  -- Statistics change only for merged runs, whose minutes are marked.
  perform set_config('slipway.packing', 'on', true);
  for one in select distinct p from unnest(packs) as p order by p desc loop
    with gone as (delete from tracing.run_pack k where k.pack = one returning *)
    insert into tracing.run as t (tenant_id, project_id, id, start_time, trace_id, parent_run_id, orphan_of, dotted_order,
      name, run_type, end_time, first_token_time, error, tags, metadata, usage, thread_id, reference_example_id,
      prompt_tokens, completion_tokens, total_tokens, prompt_cost, completion_cost, total_cost, inputs_preview,
      outputs_preview, inputs, outputs, events, extra, serialized, patched, is_posted, inserted_at, updated_at)
    select k.tenant_id, k.project_id, u.id, u.start_time, u.trace_id, u.parent_run_id, u.orphan_of, u.dotted_order, u.name,
      u.run_type, u.end_time, u.first_token_time, u.error, u.tags, u.metadata, u.usage, u.thread_id,
      u.reference_example_id, u.prompt_tokens, u.completion_tokens, u.total_tokens, u.prompt_cost, u.completion_cost,
      u.total_cost, u.inputs_preview, u.outputs_preview, u.inputs, u.outputs, u.events, u.extra, u.serialized, u.patched,
      u.is_posted, u.inserted_at, u.updated_at
    from gone k cross join lateral tracing.unpacked(k) u
    on conflict (tenant_id, id, start_time) do update set
      project_id = case when excluded.is_posted then excluded.project_id else t.project_id end,
      trace_id = case when excluded.is_posted then excluded.trace_id else t.trace_id end,
      dotted_order = case when excluded.is_posted then excluded.dotted_order else t.dotted_order end,
      parent_run_id = case when excluded.is_posted then coalesce(excluded.parent_run_id, t.parent_run_id)
        else coalesce(t.parent_run_id, excluded.parent_run_id) end,
      orphan_of = case when excluded.is_posted then coalesce(excluded.orphan_of, t.orphan_of)
        else coalesce(t.orphan_of, excluded.orphan_of) end,
      name = coalesce(case when t.patched & 1 <> 0 then t.name end, excluded.name, t.name),
      run_type = coalesce(case when t.patched & 2 <> 0 then t.run_type end, excluded.run_type, t.run_type),
      end_time = coalesce(case when t.patched & 4 <> 0 then t.end_time end, excluded.end_time, t.end_time),
      first_token_time = coalesce(case when t.patched & 8 <> 0 then t.first_token_time end, excluded.first_token_time,
        t.first_token_time),
      error = coalesce(case when t.patched & 16 <> 0 then t.error end, excluded.error, t.error),
      thread_id = coalesce(case when t.patched & 32 <> 0 then t.thread_id end, excluded.thread_id, t.thread_id),
      reference_example_id = coalesce(case when t.patched & 64 <> 0 then t.reference_example_id end,
        excluded.reference_example_id, t.reference_example_id),
      prompt_tokens = coalesce(case when t.patched & 128 <> 0 then t.prompt_tokens end, excluded.prompt_tokens, t.prompt_tokens),
      completion_tokens = coalesce(case when t.patched & 256 <> 0 then t.completion_tokens end, excluded.completion_tokens,
        t.completion_tokens),
      total_tokens = coalesce(case when t.patched & 512 <> 0 then t.total_tokens end, excluded.total_tokens, t.total_tokens),
      prompt_cost = coalesce(case when t.patched & 1024 <> 0 then t.prompt_cost end, excluded.prompt_cost, t.prompt_cost),
      completion_cost = coalesce(case when t.patched & 2048 <> 0 then t.completion_cost end, excluded.completion_cost,
        t.completion_cost),
      total_cost = coalesce(case when t.patched & 4096 <> 0 then t.total_cost end, excluded.total_cost, t.total_cost),
      usage = coalesce(case when t.patched & 8192 <> 0 then t.usage end, excluded.usage, t.usage),
      inputs_preview = coalesce(case when t.patched & 16384 <> 0 then t.inputs_preview end, excluded.inputs_preview,
        t.inputs_preview),
      outputs_preview = coalesce(case when t.patched & 32768 <> 0 then t.outputs_preview end, excluded.outputs_preview,
        t.outputs_preview),
      inputs = coalesce(case when t.patched & 65536 <> 0 then t.inputs end, excluded.inputs, t.inputs),
      outputs = coalesce(case when t.patched & 131072 <> 0 then t.outputs end, excluded.outputs, t.outputs),
      events = coalesce(case when t.patched & 262144 <> 0 then t.events end, excluded.events, t.events),
      extra = coalesce(case when t.patched & 524288 <> 0 then t.extra end, excluded.extra, t.extra),
      serialized = coalesce(case when t.patched & 1048576 <> 0 then t.serialized end, excluded.serialized, t.serialized),
      tags = case when excluded.tags is null then t.tags when t.tags is null then excluded.tags
        else array(select distinct tag from unnest(t.tags || excluded.tags) as tag order by tag) end,
      metadata = case when t.metadata is null then excluded.metadata when excluded.metadata is null then t.metadata
        when t.is_posted then t.metadata || excluded.metadata else excluded.metadata || t.metadata end,
      patched = t.patched | excluded.patched,
      is_posted = t.is_posted or excluded.is_posted,
      inserted_at = least(t.inserted_at, excluded.inserted_at),
      updated_at = clock_timestamp();
  end loop;
  perform set_config('slipway.packing', packing, true);
end $$;

-- Likewise for the packs that may contain these runs or traces of a tenant, which are about to change. Packing waits
-- until that is done.
create function tracing.unpack_runs(tenant uuid, ids uuid[]) returns void language plpgsql as $$
declare
  packs bigint[];
begin
  perform pg_advisory_xact_lock_shared(hashtext('tracing.pack'), hashtext(tenant::text));
  select array_agg(pack) into packs from tracing.run_pack where tenant_id = tenant and pack = any(tracing.packs_with_ids(ids));
  if packs is not null then perform tracing.unpack(packs); end if;
end $$;

create or replace function tracing.mark_minutes() returns trigger language plpgsql as $$
begin
  if current_setting('slipway.packing', true) = 'on' then return null; end if;
  insert into tracing.run_minute_mark (tenant_id, project_id, minutes)
  select tenant_id, project_id, array_agg(distinct date_trunc('minute', start_time)) from changed group by 1, 2;
  return null;
end $$;

-- As before, and for views: they see what who asks may see.
create or replace function tracing.secure() returns boolean language plpgsql as $$
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
    from pg_class c where c.relnamespace = 'tracing'::regnamespace and c.relkind in ('r', 'p', 'S', 'v')
      and not c.relispartition
  loop
    if item.relkind = 'S' then
      if not has_sequence_privilege('slipway_tracing', item.oid, 'usage') then
        execute format('grant usage, select on sequence tracing.%I to slipway_tracing', item.relname);
      end if;
      continue;
    end if;
    if item.relkind = 'v' then
      if not has_table_privilege('slipway_tracing', item.oid, 'select') then
        execute format('grant select on tracing.%I to slipway_tracing', item.relname);
      end if;
      continue;
    end if;
    if not has_table_privilege('slipway_tracing', item.oid, 'delete') then
      execute format('grant select, insert, update, delete on tracing.%I to slipway_tracing', item.relname);
    end if;
    if item.has_tenant and not item.relrowsecurity then
      execute format('alter table tracing.%I enable row level security', item.relname);
      -- Asked for once a query, not once a row.
      execute format($policy$create policy tenant on tracing.%I to slipway_tracing using (
        tenant_id = (select nullif(current_setting('slipway.tenant', true), '')::uuid)
        or (select current_setting('slipway.tenant', true)) = '00000000-0000-0000-0000-000000000000')$policy$,
        item.relname);
    end if;
  end loop;
  -- Postgres evaluates functions that are not leakproof only after the policy, and without an index. These never fail
  -- on any value, so they are leakproof. Only a superuser can declare that; otherwise searches by metadata and tags
  -- read more.
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
