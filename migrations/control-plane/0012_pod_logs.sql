-- How far the log of a pod's agent is stored in log_line, so that the next reader continues there without repeats.
create table control_plane.pod_log (
  pod_uid uuid primary key,
  revision_id uuid not null references control_plane.revision on delete cascade,
  -- The node's time of the last stored line, in ns since 1970, and the number of stored lines with that exact time.
  last_ns numeric(20) not null default 0,
  last_count integer not null default 0,
  -- Ends of its agent that were logged.
  crashes integer not null default 0
);
create index pod_log_of_revision on control_plane.pod_log (revision_id);
