-- Project names may exceed the size limit of index entries, so a hash makes them unique. A column rather than an
-- expression, so that locking a project (tracing.hold_projects) also fixes its name.
alter table tracing.project add column name_hash uuid generated always as (md5(name)::uuid) stored;
alter table tracing.project drop constraint project_tenant_id_name_key;
alter table tracing.project add unique (tenant_id, name_hash);
