-- What runs a revision, as the workers of its host see it. The row is there before the process, and goes after it.
create table control_plane.instance (
  revision_id uuid primary key references control_plane.revision on delete cascade,
  deployment_id uuid not null references control_plane.deployment on delete cascade,
  host text not null,
  -- `starting`, `running`, `draining` (takes nothing new), `stopping` (to be killed by whoever is on its host).
  state text not null default 'starting',
  port integer not null,
  -- Of the process group's leader; `identity` tells it from a later process with the same pid.
  pid integer,
  identity text,
  started_at timestamptz,
  -- Ends without anyone asking, since it last ran for a while; after each, the next start waits longer.
  crashes integer not null default 0,
  restart_at timestamptz,
  -- A draining one was told to finish; a second time would end it at once.
  is_told boolean not null default false,
  -- How much of its output is in log_line.
  log_offset bigint not null default 0,
  -- Renewed by its host; once over, nobody knows how the instance is.
  lease_until timestamptz not null,
  unique (host, port)
);
create index instance_of_deployment on control_plane.instance (deployment_id);

-- The database of a deployment's own, by the password of the only role that reaches it; sealed.
create table control_plane.deployment_database (
  deployment_id uuid primary key references control_plane.deployment on delete cascade,
  password bytea not null
);
