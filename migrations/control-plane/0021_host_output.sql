-- Graph hosts may have a container of their own, whose output has a cursor of its own.
alter table control_plane.instance
  add column host_log_offset bigint not null default 0,
  add column host_log_since bigint not null default 0;
