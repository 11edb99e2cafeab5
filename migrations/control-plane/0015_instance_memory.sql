-- MB it held of late, beside `cpu`; null where nobody measures it.
alter table control_plane.instance add column memory_mb real;
