-- The pushed image of a revision is kept no longer: it cannot be deployed again.
alter table control_plane.revision add column image_released boolean not null default false;
