-- Request counters for all processes. Unlogged: a crash resets them.
create unlogged table tracing.rate_limit (
  key varchar(255) primary key,
  points integer not null default 0,
  -- Milliseconds since 1970.
  expire bigint
) with (fillfactor = 50);
create index rate_limit_expired on tracing.rate_limit (expire);
