-- Requests to prune threads by a workflow. The activity checks them, because anything that reaches Temporal could start it.
create table thread_prune (
  thread_id uuid not null,
  strategy text not null,
  asked_at timestamptz not null default now(),
  primary key (thread_id, strategy)
);
