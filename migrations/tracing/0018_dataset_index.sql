-- Tag of the version that similarity searches use; null means the newest.
alter table tracing.dataset add column index_tag text;
