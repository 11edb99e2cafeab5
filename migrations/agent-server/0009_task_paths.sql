-- The engine applies the writes of one superstep by the path of their task, then its id: a channel that is rebuilt from
-- them has the value of the run only in this order. Empty where the engine is too old to name it.
alter table checkpoint_write add column task_path text collate "C" not null default '';
