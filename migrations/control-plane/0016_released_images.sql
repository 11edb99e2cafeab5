-- True once the revision's pushed image was deleted; it can't be redeployed then.
alter table control_plane.revision add column image_released boolean not null default false;
