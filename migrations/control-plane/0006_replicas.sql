-- A revision may run several times: an instance is one replica of it.
alter table control_plane.instance
  add column replica integer not null default 0,
  -- Who runs it: `process`, `docker`, `kubernetes`.
  add column driver text not null default 'process',
  -- Where it answers is for its driver to say.
  alter column url drop expression,
  alter column port drop not null,
  -- Cores it used of late; null where nobody measures it.
  add column cpu real,
  -- Since when it takes nothing new: gateways need a moment to hear of it before it is told to finish.
  add column draining_since timestamptz,
  drop constraint instance_pkey,
  add primary key (revision_id, replica);

-- How many replicas of a revision are to run; without a row, as many as were started.
create table control_plane.scale (
  revision_id uuid primary key references control_plane.revision on delete cascade,
  -- Wanted; 0 while it sleeps.
  replicas integer not null check (replicas >= 0),
  -- As many as the driver was last brought to; another number than the wanted one is somebody's work.
  reached integer not null,
  last_request_at timestamptz not null default clock_timestamp(),
  -- While it sleeps: when something it has to do comes due.
  wake_at timestamptz,
  -- Since when fewer would have done, and the most that were needed since.
  fewer_since timestamptz,
  fewer_replicas integer,
  -- Whoever brings it to its number has it for as long; after failures, nobody has.
  claimed_until timestamptz,
  failures integer not null default 0
);
create index scale_unreached on control_plane.scale (revision_id) where replicas <> reached;
create index scale_wake on control_plane.scale (wake_at) where replicas = 0;

-- Workers hear at once that a number has changed.
create function control_plane.scale_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('slipway_scale', new.revision_id::text);
  return null;
end $$;
create trigger scale_changed after update on control_plane.scale
  for each row when (new.replicas is distinct from old.replicas) execute function control_plane.scale_changed();
