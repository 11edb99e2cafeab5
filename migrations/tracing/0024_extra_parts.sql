-- Bodies of extra that a later one adds to, the least important first; a body with the same keys replaces the one before.
-- extra_keys is a hash of the keys that the body in extra has.
alter table tracing.run add column extra_before bigint[], add column extra_keys bigint;
