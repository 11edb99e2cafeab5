-- The revision's image serves the API itself: it has no graph hosts for a server of the platform.
alter table control_plane.revision add column serves_itself boolean not null default false;
