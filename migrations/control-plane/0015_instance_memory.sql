-- Recent memory usage in MB; null if not measured.
alter table control_plane.instance add column memory_mb real;
