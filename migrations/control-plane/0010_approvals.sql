-- Who approved the revision; null if not required or not yet approved.
alter table control_plane.revision add column approved_by text;
