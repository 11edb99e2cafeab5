-- The revision's canary plan; null if it takes over as soon as it is healthy.
alter table control_plane.revision add column canary jsonb;

-- Revisions that run alongside the active one until they are promoted or aborted.
create table control_plane.canary (
  revision_id uuid primary key references control_plane.revision on delete cascade,
  deployment_id uuid not null references control_plane.deployment on delete cascade,
  plan jsonb not null,
  -- `watched`, `promoted`, `aborted`.
  state text not null default 'watched',
  reason text,
  -- Run counters as last read, by revision.
  seen jsonb not null default '{}',
  began_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create index canary_of_deployment on control_plane.canary (deployment_id);
create index canary_watched on control_plane.canary (began_at) where state = 'watched';

-- Requests as counted by gateways, and runs as counted by watchers, per minute.
create table control_plane.revision_traffic (
  revision_id uuid not null references control_plane.revision on delete cascade,
  minute timestamptz not null,
  requests integer not null default 0,
  -- Requests with a 5xx, an aborted response, or none.
  failed integer not null default 0,
  -- Latency histogram: responses by time to first byte, a count per bound of `LATENCY_MS` and one beyond.
  latency integer[] not null default '{}',
  runs integer not null default 0,
  failed_runs integer not null default 0,
  primary key (revision_id, minute)
);
create index revision_traffic_age on control_plane.revision_traffic (minute);
