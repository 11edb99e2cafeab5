create table assistant (
  assistant_id uuid primary key,
  graph_id text not null,
  config jsonb not null default '{}',
  context jsonb not null default '{}',
  metadata jsonb not null default '{}',
  name text not null default 'Untitled',
  description text,
  version integer not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index on assistant (graph_id);
create index on assistant using gin (metadata jsonb_path_ops);

create table assistant_version (
  assistant_id uuid not null references assistant on delete cascade,
  version integer not null,
  graph_id text not null,
  config jsonb not null,
  context jsonb not null,
  metadata jsonb not null,
  name text not null,
  description text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (assistant_id, version)
);

-- `hidden` threads belong to threadless runs: they exist for the run's sake and are never listed.
-- `last_event_ms` is the clock of the thread's event ids; it only moves forward.
create table thread (
  thread_id uuid primary key,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  state_updated_at timestamptz not null default clock_timestamp(),
  metadata jsonb not null default '{}',
  status text not null default 'idle' check (status in ('idle', 'busy', 'interrupted', 'error')),
  config jsonb not null default '{}',
  "values" jsonb,
  interrupts jsonb not null default '{}',
  error jsonb,
  hidden boolean not null default false,
  ttl_strategy text check (ttl_strategy in ('delete', 'keep_latest')),
  ttl_minutes double precision,
  expires_at timestamptz,
  last_event_ms bigint not null default 0
);
create index on thread (updated_at desc) where not hidden;
create index on thread (state_updated_at desc) where not hidden;
create index on thread (created_at desc) where not hidden;
-- A search reads what the index has not sorted in yet one by one: a short list keeps it quick for all that runs write.
create index on thread using gin (metadata jsonb_path_ops) with (gin_pending_list_limit = 64);
create index on thread (expires_at) where expires_at is not null;

-- `epoch` counts claims of the run: every write of an attempt names the epoch it was claimed under.
-- `due_at` is the moment before which a delayed run must not start; it is also the run's created_at on the wire.
create table run (
  run_id uuid primary key,
  thread_id uuid not null references thread on delete cascade,
  assistant_id uuid not null,
  graph_id text not null,
  metadata jsonb not null default '{}',
  status text not null default 'pending'
    check (status in ('pending', 'running', 'success', 'error', 'timeout', 'interrupted')),
  kwargs jsonb not null,
  multitask_strategy text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  epoch integer not null default 0,
  attempt integer not null default 0,
  error jsonb,
  -- Names the one settlement that took effect.
  settlement uuid,
  langsmith_session_name text
);
create index on run (thread_id, created_at desc);
create index on run (assistant_id) where status in ('pending', 'running');
create index on run (updated_at) where status in ('pending', 'running');

-- What readers of resumable runs and of watched threads can be sent again; kept for a short while after a run ends.
-- `data` is the JSON text that goes on the wire.
create table run_event (
  thread_id uuid not null,
  ms bigint not null,
  seq integer not null,
  run_id uuid not null,
  event text not null,
  data text not null,
  primary key (thread_id, ms, seq)
);
create index on run_event (run_id);
