-- The parent of a run that was made a root, because it did not come in time.
alter table tracing.run add column orphan_of uuid;

-- Children whose parent has not come: the dotted order of one is its own segment alone.
create index run_awaits_parent on tracing.run (tenant_id, (coalesce(parent_run_id, orphan_of)))
  where length(dotted_order) = 58 and coalesce(parent_run_id, orphan_of) is not null;
create index run_may_be_orphan on tracing.run (inserted_at)
  where length(dotted_order) = 58 and parent_run_id is not null;

-- An index holds less than a dotted order may be long.
drop index tracing.run_of_trace;
create index run_of_trace on tracing.run (tenant_id, trace_id, (left(dotted_order, 1200)));
