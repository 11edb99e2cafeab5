-- The row is what a cron is; its Temporal Schedule only wakes it. `next_run_date` is the first time not dealt with
-- yet, also while the cron is disabled; null when there is none. `caller` is in whose name it runs.
-- `revision` counts the changes its schedule must follow, `scheduled_revision` names the one it shows.
create table cron (
  cron_id uuid primary key,
  assistant_id uuid not null references assistant on delete cascade,
  thread_id uuid references thread on delete cascade,
  user_id text not null,
  schedule text not null,
  timezone text,
  end_time timestamptz,
  payload jsonb not null,
  metadata jsonb not null default '{}',
  on_run_completed text check (on_run_completed in ('delete', 'keep')),
  enabled boolean not null,
  next_run_date timestamptz,
  caller jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  revision integer not null default 1,
  scheduled_revision integer not null default 0,
  scheduled_queue text,
  scheduled_at timestamptz
);
create index on cron (created_at desc);
create index on cron (assistant_id);
create index on cron (thread_id) where thread_id is not null;
create index on cron (next_run_date) where enabled;
create index on cron using gin (metadata jsonb_path_ops);

-- One row per handled time: the key ensures that each time fires once, however many processes are woken for it.
create table cron_firing (
  cron_id uuid not null references cron on delete cascade,
  slot timestamptz not null,
  run_id uuid not null,
  fired_at timestamptz not null default clock_timestamp(),
  primary key (cron_id, slot)
);
