-- Who let the revision go on to where it serves; null where nobody had to, or nobody has yet.
alter table control_plane.revision add column approved_by text;
