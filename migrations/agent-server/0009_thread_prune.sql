-- The threads that somebody asked to prune by a workflow: what prunes them checks it, as a workflow could say anything.
create table thread_prune (
  thread_id uuid not null,
  strategy text not null,
  asked_at timestamptz not null default now(),
  primary key (thread_id, strategy)
);
