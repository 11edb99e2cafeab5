-- Filter of the words in a block of bodies, and the start times of its runs: searches read only blocks that may
-- contain a word. Null for older blocks; unknown for those an older version still writes. See
-- src/tracing/bodies/word-filter.ts.
alter table tracing.body_block add column first_start timestamptz, add column last_start timestamptz, add column grams bytea;
alter table tracing.body_block alter column first_start set default '-infinity', alter column last_start set default 'infinity';
-- Bits do not compress; stored inline.
alter table tracing.body_block alter column grams set storage plain;
create index body_block_latest on tracing.body_block (tenant_id, last_start desc nulls last);

-- The same for words in the rows of a batch. Without a project for patch-only runs; a null filter matches any word. A
-- row starting at -infinity covers all runs until then, and their bodies.
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
