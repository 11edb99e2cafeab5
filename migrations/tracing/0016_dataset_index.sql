-- The version whose examples are searched for those like others: a tag; null is the newest.
alter table tracing.dataset add column index_tag text;
