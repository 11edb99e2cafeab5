-- The key by which the agents of a deployment log their runs: it goes with the deployment.
alter table control_plane.api_key
  add column deployment_id uuid unique references control_plane.deployment on delete cascade,
  -- What agents are told at each start; sealed. Of other keys nothing but the hash is known.
  add column sealed bytea;
