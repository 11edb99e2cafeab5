-- Who can use a deployment's agents: its workspace's keys and users, or everyone.
alter table control_plane.deployment add column access text not null default 'private'
  check (access in ('private', 'public'));
-- Whether the built project has its own authentication, which replaces the platform's.
alter table control_plane.revision add column own_auth boolean not null default false;

create function control_plane.deployment_access_changed() returns trigger language plpgsql as $$
begin
  perform control_plane.tell_gateways(new.id);
  perform control_plane.tell_gateways(running.revision_id)
    from (select distinct revision_id from control_plane.instance where deployment_id = new.id) running;
  return null;
end $$;
create trigger access_changed after update on control_plane.deployment
  for each row when (new.access is distinct from old.access)
  execute function control_plane.deployment_access_changed();
