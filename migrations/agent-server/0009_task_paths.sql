-- The engine applies the writes of a superstep by the path of their task, then its id. Only this order rebuilds a channel
-- with the value it had in the run. Empty if the engine is too old to send it.
alter table checkpoint_write add column task_path text collate "C" not null default '';
