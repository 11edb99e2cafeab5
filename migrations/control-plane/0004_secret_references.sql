-- Variables of an external image whose values come from a Kubernetes secret.
alter table control_plane.revision add column secret_references jsonb;
