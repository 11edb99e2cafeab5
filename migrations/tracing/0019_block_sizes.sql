-- Decoded bytes of a block, which limit how many are read at a time. Null for older blocks.
alter table tracing.body_block add column size integer;
