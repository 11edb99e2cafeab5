-- Browser sessions. Only a hash of the cookie's token is stored.
create table control_plane.session (
  id uuid primary key,
  hash bytea not null unique,
  name text not null,
  -- The API key that started the session, which ends with it and has its role.
  api_key_id uuid references control_plane.api_key on delete cascade,
  -- Tenants, with the role in each: [{"tenant_id", "role"}].
  grants jsonb not null,
  user_agent text,
  created_at timestamptz not null default clock_timestamp(),
  used_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index session_age on control_plane.session (expires_at);
create index session_tenants on control_plane.session using gin (grants jsonb_path_ops);
