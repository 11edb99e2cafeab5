-- One-time links to the console, printed by a start on one's own machine: only hashes of their tokens.
create table control_plane.sign_in_link (
  hash bytea primary key,
  -- The session gets this key's role, and ends with it.
  api_key_id uuid not null references control_plane.api_key on delete cascade,
  expires_at timestamptz not null
);
