-- Who is signed in from a browser: what its cookie holds is known by a hash alone.
create table control_plane.session (
  id uuid primary key,
  hash bytea not null unique,
  name text not null,
  -- Of a session that an API key began: it ends with the key, and has the key's role.
  api_key_id uuid references control_plane.api_key on delete cascade,
  -- Tenants and the role in each: [{"tenant_id", "role"}].
  grants jsonb not null,
  user_agent text,
  created_at timestamptz not null default clock_timestamp(),
  used_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index session_age on control_plane.session (expires_at);
create index session_tenants on control_plane.session using gin (grants jsonb_path_ops);
