-- Bytes of a block once it is inflated: how many are read at a time goes by it. Null of those of before.
alter table tracing.body_block add column size integer;
