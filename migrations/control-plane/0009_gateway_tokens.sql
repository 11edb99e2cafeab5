-- Token that gateways send to a revision's instances, which refuse all other callers; encrypted.
create table control_plane.gateway_token (
  revision_id uuid primary key references control_plane.revision on delete cascade,
  token bytea not null
);
