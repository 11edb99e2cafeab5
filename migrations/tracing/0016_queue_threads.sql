-- Queue items are runs or whole threads of a project.
alter table tracing.annotation_queue_run
  add column project_id uuid,
  add column thread_id text,
  alter column run_id drop not null,
  add check ((run_id is null) = (thread_id is not null and project_id is not null));
-- Hashed, because clients choose thread names of any length.
create unique index annotation_queue_run_of_thread on tracing.annotation_queue_run
  (tenant_id, queue_id, project_id, md5(thread_id)) where thread_id is not null;
