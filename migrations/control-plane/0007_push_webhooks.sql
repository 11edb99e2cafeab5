-- A tenant's account on a git host: its URL, credentials, and the secret that signs its events.
create table control_plane.integration (
  id uuid primary key,
  tenant_id uuid not null,
  name text not null,
  -- `github` or `gitlab`.
  kind text not null,
  url text not null,
  api_url text not null,
  -- Token, user, SSH key and host keys, encrypted; null if there are none.
  credentials bytea,
  -- Encrypted; without a secret, no events are accepted.
  webhook_secret bytea,
  repositories jsonb not null default '[]',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, name)
);

-- Received events, so that a repeated one gets the same response and has no effect.
create table control_plane.git_delivery (
  integration_id uuid not null references control_plane.integration on delete cascade,
  delivery_id text not null,
  -- Hash of a body whose signature does not cover the delivery id, to detect a repeat with another id. Null for others.
  digest text,
  -- Its branch or pull request, and its time: events older than the latest are ignored.
  subject text,
  happened_at timestamptz,
  answer jsonb,
  received_at timestamptz not null default clock_timestamp(),
  primary key (integration_id, delivery_id)
);
create unique index git_delivery_digest on control_plane.git_delivery (integration_id, digest);
create index git_delivery_subject on control_plane.git_delivery (integration_id, subject, happened_at desc);
create index git_delivery_age on control_plane.git_delivery (received_at);

-- Previews: the deployment of a pull request, its base deployment and the request.
alter table control_plane.deployment
  add column preview_of uuid references control_plane.deployment on delete set null,
  add column preview_number integer;
create index deployment_preview on control_plane.deployment (preview_of, preview_number) where is_preview;
