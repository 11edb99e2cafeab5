-- How far the log of a pod's agent is kept in log_line: whoever follows it goes on there, and keeps no line twice.
create table control_plane.pod_log (
  pod_uid uuid primary key,
  revision_id uuid not null references control_plane.revision on delete cascade,
  -- Time of the last line kept, in ns since 1970 as the node gave it, and how many lines of that very time were kept.
  last_ns numeric(20) not null default 0,
  last_count integer not null default 0,
  -- Ends of its agent that were told.
  crashes integer not null default 0
);
create index pod_log_of_revision on control_plane.pod_log (revision_id);
