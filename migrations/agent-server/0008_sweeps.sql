-- Periodic maintenance. A worker claims a sweep that is due until held_until, and renews that while it runs.
create table sweep (
  name text primary key,
  due_at timestamptz not null default now(),
  held_until timestamptz not null default '-infinity',
  ran_at timestamptz,
  took_ms int,
  result jsonb,
  error text
);
