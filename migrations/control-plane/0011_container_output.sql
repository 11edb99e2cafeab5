-- Engines timestamp the lines of containers: log_offset counts those since this second that are in log_line.
alter table control_plane.instance add column log_since bigint not null default 0;
