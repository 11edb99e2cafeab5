-- Every key of a JSON value with what stands under it as text: nested keys by dots, lists without their indexes. The same
-- as flatPairs of the filter language.
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

-- Errors are rare, and what people look for.
create index run_errors on tracing.run (tenant_id, project_id, start_time desc, id) where error is not null;
