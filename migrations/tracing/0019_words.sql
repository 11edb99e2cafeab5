-- What may be said in a block of bodies, and when the runs that say it began: searches read only blocks that may hold a
-- word. Null of blocks of before; of those that an older version still writes, unknown. See src/tracing/bodies/grams.ts.
alter table tracing.body_block add column first_start timestamptz, add column last_start timestamptz, add column grams bytea;
alter table tracing.body_block alter column first_start set default '-infinity', alter column last_start set default 'infinity';
-- Bits are not compressed, and are read where the row is.
alter table tracing.body_block alter column grams set storage plain;
create index body_block_latest on tracing.body_block (tenant_id, last_start desc nulls last);

-- The same of what rows say beside their bodies, of the rows of a batch together. Without a project are runs that were
-- patched alone; null may be anything. One that begins at -infinity stands for all runs until then, and their bodies.
create table tracing.run_words (
  tenant_id uuid not null,
  project_id uuid,
  first_start timestamptz not null,
  last_start timestamptz not null,
  grams bytea
);
alter table tracing.run_words alter column grams set storage plain;
create index run_words_latest on tracing.run_words (tenant_id, last_start desc nulls last);

insert into tracing.run_words (tenant_id, first_start, last_start)
select p.tenant_id, '-infinity', max(r.start_time) from tracing.project p
cross join lateral (select start_time from tracing.run where project_id = p.id order by start_time desc limit 1) r
group by 1;

select tracing.secure();
