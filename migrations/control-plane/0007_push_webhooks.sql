-- A git host account of a tenant: where it is, what lets us in, and what its events are signed with.
create table control_plane.integration (
  id uuid primary key,
  tenant_id uuid not null,
  name text not null,
  -- `github` or `gitlab`: how it speaks.
  kind text not null,
  url text not null,
  api_url text not null,
  -- Token, user, ssh key and host keys, sealed; null when there are none.
  credentials bytea,
  -- Sealed; without one no event is believed.
  webhook_secret bytea,
  repositories jsonb not null default '[]',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, name)
);

-- Events that were heard, so that one that comes again is answered as it was and does nothing.
create table control_plane.git_delivery (
  integration_id uuid not null references control_plane.integration on delete cascade,
  delivery_id text not null,
  -- Of a body whose signature holds no delivery id: it is the same event under another id, too. Null for others.
  digest text,
  -- What it is about, a branch or a pull request, and when it happened: what is older than the latest is ignored.
  subject text,
  happened_at timestamptz,
  answer jsonb,
  received_at timestamptz not null default clock_timestamp(),
  primary key (integration_id, delivery_id)
);
create unique index git_delivery_digest on control_plane.git_delivery (integration_id, digest);
create index git_delivery_subject on control_plane.git_delivery (integration_id, subject, happened_at desc);
create index git_delivery_age on control_plane.git_delivery (received_at);

-- A deployment of a pull request: of which deployment, and of which request.
alter table control_plane.deployment
  add column preview_of uuid references control_plane.deployment on delete set null,
  add column preview_number integer;
create index deployment_preview on control_plane.deployment (preview_of, preview_number) where is_preview;
