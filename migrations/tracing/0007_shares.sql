-- Who has the token may read the trace, without a key of the API.
create table tracing.share (
  token uuid primary key,
  tenant_id uuid not null,
  run_id uuid not null,
  trace_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, run_id)
);

-- Keeps these projects, under these names, until the transaction ends; a name may be null. Fails with SL001 when one
-- was removed or renamed: processes remember ids by name for a while.
create function tracing.hold_projects(tenant uuid, ids uuid[], names text[]) returns void language plpgsql as $$
declare
  held integer;
begin
  perform 1 from unnest(ids, names) as w (id, name)
    join tracing.project p on p.id = w.id and p.tenant_id = tenant and (w.name is null or w.name = p.name)
    for key share of p;
  get diagnostics held = row_count;
  if held < cardinality(ids) then
    raise exception 'A project was removed or renamed' using errcode = 'SL001';
  end if;
end $$;
