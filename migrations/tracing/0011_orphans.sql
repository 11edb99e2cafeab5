-- The missing parent of a run that was turned into a root.
alter table tracing.run add column orphan_of uuid;

-- Children whose parent has not arrived; their dotted order has a single segment.
create index run_awaits_parent on tracing.run (tenant_id, (coalesce(parent_run_id, orphan_of)))
  where length(dotted_order) = 58 and coalesce(parent_run_id, orphan_of) is not null;
create index run_may_be_orphan on tracing.run (inserted_at)
  where length(dotted_order) = 58 and parent_run_id is not null;

-- Dotted orders can exceed the size limit of index entries.
drop index tracing.run_of_trace;
create index run_of_trace on tracing.run (tenant_id, trace_id, (left(dotted_order, 1200)));
