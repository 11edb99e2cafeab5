-- Names of projects may be longer than an index holds: they are told apart by their hash. It is a column, and no
-- expression, so that a project that is held (tracing.hold_projects) keeps its name.
alter table tracing.project add column name_hash uuid generated always as (md5(name)::uuid) stored;
alter table tracing.project drop constraint project_tenant_id_name_key;
alter table tracing.project add unique (tenant_id, name_hash);
