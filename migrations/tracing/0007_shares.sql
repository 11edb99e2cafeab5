-- Grants read access to a trace by token, without an API key.
create table tracing.share (
  token uuid primary key,
  tenant_id uuid not null,
  run_id uuid not null,
  trace_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, run_id)
);

-- Locks these projects and their names until the transaction ends; a name may be null. Fails with SL001 if one was
-- deleted or renamed, because processes cache ids by name.
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
