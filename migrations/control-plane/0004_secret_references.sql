-- Variables of an external image whose values the data plane takes from a Kubernetes secret.
alter table control_plane.revision add column secret_references jsonb;
