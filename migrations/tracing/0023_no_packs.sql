-- Runs are rows again, all of them; what their packs kept no preview of has '', and is previewed from its bodies.
select tracing.unpack(array(select pack from tracing.run_pack));

create or replace function tracing.mark_minutes() returns trigger language plpgsql as $$
begin
  insert into tracing.run_minute_mark (tenant_id, project_id, minutes)
  select tenant_id, project_id, array_agg(distinct date_trunc('minute', start_time)) from changed group by 1, 2;
  return null;
end $$;

drop view tracing.any_run;
drop function tracing.unpack_runs, tracing.unpack, tracing.expect_none, tracing.unpacked, tracing.is_worth_unpacking,
  tracing.packs_saying, tracing.packs_with_ids, tracing.packs_with, tracing.pack_key(text), tracing.pack_key(uuid);
drop table tracing.run_pack;
