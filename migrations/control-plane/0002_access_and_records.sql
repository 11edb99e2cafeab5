-- The audit log, a hash chain per tenant: each entry has a hash of itself and of the previous entry.
create table control_plane.audit_entry (
  tenant_id uuid not null,
  number integer not null,
  at text not null,
  actor text not null,
  action text not null,
  target text not null,
  -- JSON as text, because the text is hashed.
  detail text not null,
  previous_hash text not null,
  hash text not null,
  primary key (tenant_id, number)
);

-- Requests with an Idempotency-Key, and their responses; kept for a day.
create table control_plane.idempotency_key (
  tenant_id uuid not null,
  key text not null,
  -- Hash of the request, the only one for which the key is valid.
  fingerprint text not null,
  -- Seed for the request's ids, so that repeating it after a crash creates nothing twice.
  seed uuid not null default gen_random_uuid(),
  status integer,
  etag text,
  -- Encrypted, because a response may contain a secret that is shown once.
  answer bytea,
  claimed_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, key)
);
create index idempotency_key_age on control_plane.idempotency_key (created_at);

-- A tenant's own data planes.
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
