-- Creates the partitions of a week once. Checks the catalog for those a concurrent transaction created, because
-- to_regclass caches that there was none.
create or replace function tracing.ensure_week(monday date) returns void language plpgsql
  security definer set search_path = pg_catalog as $$
declare
  suffix text := to_char(monday, 'YYYYMMDD');
begin
  if to_regclass('tracing.run_' || suffix) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext('tracing.ensure_week'));
  if exists (select from pg_class where relnamespace = 'tracing'::regnamespace and relname = 'run_' || suffix) then
    return;
  end if;
  begin
    execute format('create table tracing.%I partition of tracing.run for values from (%L) to (%L) with (fillfactor = 85)',
      'run_' || suffix, monday::timestamptz, (monday + 7)::timestamptz);
  exception when check_violation then null;
  end;
  if exists (select from pg_class where relnamespace = 'tracing'::regnamespace and relname = 'body_block_' || suffix) then
    return;
  end if;
  begin
    execute format('create table tracing.%I partition of tracing.body_block for values from (%L) to (%L)',
      'body_block_' || suffix, monday, monday + 7);
  exception when check_violation then null;
  end;
end $$;
