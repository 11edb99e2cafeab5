-- Every change, in a chain per tenant: each entry holds a hash of itself and of the one before it.
create table control_plane.audit_entry (
  tenant_id uuid not null,
  number integer not null,
  at text not null,
  actor text not null,
  action text not null,
  target text not null,
  -- Text of JSON: it is hashed as it stands.
  detail text not null,
  previous_hash text not null,
  hash text not null,
  primary key (tenant_id, number)
);

-- A request that may be sent again (Idempotency-Key), and its answer once there is one; kept for a day.
create table control_plane.idempotency_key (
  tenant_id uuid not null,
  key text not null,
  -- Hash of the request: the key is good for that one alone.
  fingerprint text not null,
  -- What ids of the request are made of, so that doing it again after a crash makes nothing twice.
  seed uuid not null default gen_random_uuid(),
  status integer,
  etag text,
  -- Sealed, because an answer may hold what is told once.
  answer bytea,
  claimed_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, key)
);
create index idempotency_key_age on control_plane.idempotency_key (created_at);

-- A data plane of a tenant's own.
create table control_plane.listener (
  id uuid primary key,
  tenant_id uuid not null,
  version text,
  compute_type text not null,
  compute_id text not null,
  compute_config jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, compute_id)
);
