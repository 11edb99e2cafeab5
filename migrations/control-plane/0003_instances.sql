-- Instances of revisions. The row is inserted before the process starts, and deleted after it ends.
create table control_plane.instance (
  revision_id uuid primary key references control_plane.revision on delete cascade,
  deployment_id uuid not null references control_plane.deployment on delete cascade,
  host text not null,
  -- `starting`, `running`, `draining` (takes no new work), `stopping` (to be killed by its host's worker).
  state text not null default 'starting',
  port integer not null,
  -- The process group's leader; `identity` distinguishes it from a later process with the same pid.
  pid integer,
  identity text,
  started_at timestamptz,
  -- Crashes since it last ran for a while; each one delays the next start more.
  crashes integer not null default 0,
  restart_at timestamptz,
  -- A draining instance was asked to finish; a second signal would end it immediately.
  is_told boolean not null default false,
  -- Offset up to which its output is in log_line.
  log_offset bigint not null default 0,
  -- Renewed by its host; after that the instance's state is unknown.
  lease_until timestamptz not null,
  unique (host, port)
);
create index instance_of_deployment on control_plane.instance (deployment_id);

-- Deployments' own databases, with the encrypted password of the only role that can connect.
create table control_plane.deployment_database (
  deployment_id uuid primary key references control_plane.deployment on delete cascade,
  password bytea not null
);
