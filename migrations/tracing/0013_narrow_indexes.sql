-- Indexes are half of what a run takes. What orders a few is left to sorting: keys that repeat are stored once.
drop index tracing.run_of_trace;
create index run_of_trace on tracing.run (tenant_id, trace_id);
drop index tracing.run_of_thread;
create index run_of_thread on tracing.run (tenant_id, thread_id) where thread_id is not null;

-- A project is one tenant's. Runs that began at the same time are put in order as they are read.
-- Ascending, as runs come: pages of the index stay full. It is read backwards.
drop index tracing.run_newest;
create index run_newest on tracing.run (project_id, start_time);
drop index tracing.run_roots;
create index run_roots on tracing.run (project_id, start_time) where parent_run_id is null;
drop index tracing.run_errors;
create index run_errors on tracing.run (project_id, start_time) where error is not null;

-- For names that few runs have, or none.
create index run_of_name on tracing.run (project_id, name);

-- How a block is compressed: bodies that say the same are far apart in one, and not every way finds that.
alter table tracing.body_block add column encoding text not null default 'deflate' check (encoding in ('deflate', 'brotli'));
