-- A revision can have several replicas; an instance is one of them.
alter table control_plane.instance
  add column replica integer not null default 0,
  -- Its driver: `process`, `docker`, `kubernetes`.
  add column driver text not null default 'process',
  -- The driver decides its address.
  alter column url drop expression,
  alter column port drop not null,
  -- Recent CPU usage in cores; null if not measured.
  add column cpu real,
  -- Since when it takes no new work: gateways need a moment to notice before it is asked to finish.
  add column draining_since timestamptz,
  drop constraint instance_pkey,
  add primary key (revision_id, replica);

-- Wanted number of replicas of a revision; without a row, as many as were started.
create table control_plane.scale (
  revision_id uuid primary key references control_plane.revision on delete cascade,
  -- Wanted; 0 while it sleeps.
  replicas integer not null check (replicas >= 0),
  -- Number last applied by the driver; a worker changes it to the wanted one.
  reached integer not null,
  last_request_at timestamptz not null default clock_timestamp(),
  -- When due work wakes it from sleep.
  wake_at timestamptz,
  -- Since when fewer would have sufficed, and the maximum needed since.
  fewer_since timestamptz,
  fewer_replicas integer,
  -- Lease of the worker that is scaling it; after failures, no worker takes it until then.
  claimed_until timestamptz,
  failures integer not null default 0
);
create index scale_unreached on control_plane.scale (revision_id) where replicas <> reached;
create index scale_wake on control_plane.scale (wake_at) where replicas = 0;

-- Notifies workers of changed numbers.
create function control_plane.scale_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('slipway_scale', new.revision_id::text);
  return null;
end $$;
create trigger scale_changed after update on control_plane.scale
  for each row when (new.replicas is distinct from old.replicas) execute function control_plane.scale_changed();
