-- What gateways say to the instances of a revision, which listen to nobody else; sealed.
create table control_plane.gateway_token (
  revision_id uuid primary key references control_plane.revision on delete cascade,
  token bytea not null
);
