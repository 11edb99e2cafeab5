-- Indexes take half of a run's storage. Small result sets are sorted instead, and repeated keys are stored once.
drop index tracing.run_of_trace;
create index run_of_trace on tracing.run (tenant_id, trace_id);
drop index tracing.run_of_thread;
create index run_of_thread on tracing.run (tenant_id, thread_id) where thread_id is not null;

-- A project belongs to one tenant. Runs with equal start times are sorted when read. Ascending like arriving runs,
-- which keeps index pages full; scanned backwards.
drop index tracing.run_newest;
create index run_newest on tracing.run (project_id, start_time);
drop index tracing.run_roots;
create index run_roots on tracing.run (project_id, start_time) where parent_run_id is null;
drop index tracing.run_errors;
create index run_errors on tracing.run (project_id, start_time) where error is not null;

-- For rare or unknown names.
create index run_of_name on tracing.run (project_id, name);

-- Compression of a block. Similar bodies can be far apart in a block, which not every algorithm exploits.
alter table tracing.body_block add column encoding text not null default 'deflate' check (encoding in ('deflate', 'brotli'));
