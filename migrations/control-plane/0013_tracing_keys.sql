-- The key with which a deployment's agents send traces; deleted with the deployment.
alter table control_plane.api_key
  add column deployment_id uuid unique references control_plane.deployment on delete cascade,
  -- Encrypted, because agents get it at each start; of other keys only the hash is stored.
  add column sealed bytea;
