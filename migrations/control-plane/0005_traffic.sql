-- The instance's URL for gateways.
alter table control_plane.instance add column if not exists
  url text generated always as ('http://127.0.0.1:' || port::text) stored;

-- Revisions with a share of a deployment's threads. The active revision has the rest.
create table control_plane.traffic (
  deployment_id uuid not null references control_plane.deployment on delete cascade,
  revision_id uuid not null references control_plane.revision on delete cascade,
  percent integer not null check (percent between 1 and 100),
  primary key (deployment_id, revision_id)
);

-- Gateways drop cached routes of a deployment or revision when notified of its id.
create function control_plane.tell_gateways(id uuid) returns void language sql as
  $$ select pg_notify('slipway_routes', id::text) $$;

create function control_plane.deployment_route_changed() returns trigger language plpgsql as $$
begin
  perform control_plane.tell_gateways(coalesce(new.id, old.id));
  return null;
end $$;
create trigger route_changed after insert or delete or update of active_revision_id on control_plane.deployment
  for each row execute function control_plane.deployment_route_changed();

create function control_plane.traffic_changed() returns trigger language plpgsql as $$
begin
  perform control_plane.tell_gateways(coalesce(new.deployment_id, old.deployment_id));
  return null;
end $$;
create trigger route_changed after insert or delete or update on control_plane.traffic
  for each row execute function control_plane.traffic_changed();

create function control_plane.instance_changed() returns trigger language plpgsql as $$
declare
  revision uuid := coalesce(new.revision_id, old.revision_id);
begin
  perform control_plane.tell_gateways(revision);
  perform control_plane.tell_gateways(r.deployment_id) from control_plane.revision r where r.id = revision;
  return null;
end $$;
create trigger route_added after insert or delete on control_plane.instance
  for each row execute function control_plane.instance_changed();
create trigger route_changed after update on control_plane.instance
  for each row when (new.url is distinct from old.url or new.state is distinct from old.state)
  execute function control_plane.instance_changed();
