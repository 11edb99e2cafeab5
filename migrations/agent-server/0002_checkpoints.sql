-- A thread's states, as provided by the agent's engine. No foreign keys to `thread`, because the engine writes state at
-- its own pace; deleting a thread deletes its state by id.

-- A state of a graph: `checkpoint_ns` is empty for the thread's graph, and the path of a subgraph otherwise.
-- Ids are version 6 UUIDs, so they sort by time. `channel_versions` names the checkpoint_value of each channel.
-- `body` is the rest of the engine's own record, as JSON text: jsonb cannot hold every string.
-- `delta_channels` are the channels whose value is not stored but rebuilt from the writes of earlier checkpoints.
create table checkpoint (
  thread_id uuid not null,
  checkpoint_ns text collate "C" not null,
  checkpoint_id uuid not null,
  parent_checkpoint_id uuid,
  run_id uuid,
  format smallint not null,
  channel_versions jsonb not null,
  delta_channels text[],
  body text not null,
  metadata jsonb not null,
  primary key (thread_id, checkpoint_ns, checkpoint_id)
);

-- The value of one channel from one version to the next, shared by all checkpoints that name it.
-- `value` is JSON text where `type` is json, else base64.
create table checkpoint_value (
  thread_id uuid not null,
  checkpoint_ns text collate "C" not null,
  channel text collate "C" not null,
  version text collate "C" not null,
  type text not null,
  value text not null,
  primary key (thread_id, checkpoint_ns, channel, version)
);

-- Tasks' writes on top of a checkpoint. Negative `idx` are the engine's own marks (error, interrupt, resume), where the
-- last one counts; otherwise the first one does. Runs never overwrite each other's writes, so that deleting a run
-- restores the previous ones; writes outside of runs have the nil UUID.
create table checkpoint_write (
  thread_id uuid not null,
  checkpoint_ns text collate "C" not null,
  checkpoint_id uuid not null,
  task_id text collate "C" not null,
  idx integer not null,
  run_id uuid not null,
  seq bigint generated always as identity,
  channel text collate "C" not null,
  type text not null,
  value text not null,
  primary key (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, run_id)
);

-- Faster than the default, where this server was built with it.
do $$
begin
  alter table checkpoint alter column body set compression lz4;
  alter table checkpoint_value alter column value set compression lz4;
  alter table checkpoint_write alter column value set compression lz4;
exception when feature_not_supported then null;
end $$;
