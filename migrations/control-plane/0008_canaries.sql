-- How a revision is tried before it takes over; null for one that takes over as soon as it is well.
alter table control_plane.revision add column canary jsonb;

-- Revisions that run beside the one that serves, until they are promoted or aborted.
create table control_plane.canary (
  revision_id uuid primary key references control_plane.revision on delete cascade,
  deployment_id uuid not null references control_plane.deployment on delete cascade,
  plan jsonb not null,
  -- `watched`, `promoted`, `aborted`.
  state text not null default 'watched',
  reason text,
  -- Counters of runs as they were read last, by revision.
  seen jsonb not null default '{}',
  began_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create index canary_of_deployment on control_plane.canary (deployment_id);
create index canary_watched on control_plane.canary (began_at) where state = 'watched';

-- What gateways counted of the requests to deployments, and watchers of the runs behind them, by minute.
create table control_plane.revision_traffic (
  revision_id uuid not null references control_plane.revision on delete cascade,
  minute timestamptz not null,
  requests integer not null default 0,
  -- Answered 5xx, cut off, or not at all.
  failed integer not null default 0,
  -- Answers by the time they took to begin: one number for each bound of `LATENCY_MS`, and one for what is beyond.
  latency integer[] not null default '{}',
  runs integer not null default 0,
  failed_runs integer not null default 0,
  primary key (revision_id, minute)
);
create index revision_traffic_age on control_plane.revision_traffic (minute);
