import type { Queryable } from '../../platform/db/database.ts';
import { RunFenced } from '../errors.ts';
import type { Fence } from '../events/event-repository.ts';

/** Numbers of rows. */
export interface CheckpointCounts {
  checkpoints: number;
  values: number;
  writes: number;
}

const COUNTS = `(select count(*) from gone) as checkpoints, (select count(*) from gone_value) as values,
  (select count(*) from gone_write) as writes`;

/** Whether the checkpoint `c` has a stored value of the channel. */
const stores = (c: string, channel: string): string => `exists (
  select from checkpoint_value v where v.thread_id = ${c}.thread_id and v.checkpoint_ns = ${c}.checkpoint_ns
    and v.channel = ${channel} and v.version = ${c}.channel_versions ->> ${channel})`;

/**
 * `needed`: the ancestors from which these checkpoints' delta channels are rebuilt, back to the one that stores the
 * channel's value.
 */
const needed = (from: string): string => `
  chain as (
    select c.thread_id, c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.run_id, it.channel,
      ${stores('c', 'it.channel')} as stored, false as needed
    from ${from} c cross join unnest(c.delta_channels) it (channel)
    union
    select c.thread_id, c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.run_id, below.channel,
      ${stores('c', 'below.channel')}, true
    -- The limit makes the planner look parents up by key instead of scanning all checkpoints at each step.
    from chain below cross join lateral (
      select * from checkpoint c where c.thread_id = below.thread_id and c.checkpoint_ns = below.checkpoint_ns
        and c.checkpoint_id = below.parent_checkpoint_id
      limit 1
    ) c
    where not below.stored
  ),
  needed as (select * from chain where needed)`;

/** `named`: the values that these checkpoints reference. */
const named = (from: string): string => `
  named as materialized (
    select c.thread_id, c.checkpoint_ns, key as channel, value as version
    from ${from} c cross join jsonb_each_text(c.channel_versions)
  )`;

const isUnnamed = (v: string): string => `not exists (
  select from named where named.thread_id = ${v}.thread_id and named.checkpoint_ns = ${v}.checkpoint_ns
    and named.channel = ${v}.channel and named.version = ${v}.version)`;

const isGone = (c: string): string => `not exists (
  select from kept where kept.thread_id = ${c}.thread_id and kept.checkpoint_ns = ${c}.checkpoint_ns
    and kept.checkpoint_id = ${c}.checkpoint_id)`;

/** Deletes all checkpoints of some threads. With a fence, throws RunFenced unless the run executes under that epoch. */
export async function deleteThreadCheckpoints(
  db: Queryable,
  threadIds: string[],
  fence?: Pick<Fence, 'run_id' | 'epoch'>,
): Promise<CheckpointCounts> {
  const held = fence
    ? `select run_id from run where run_id = $2 and epoch = $3 and status = 'running' for share`
    : 'select';
  const { rows } = await db.query<CheckpointCounts>(
    `with fence as (${held}),
       gone as (delete from checkpoint using fence where thread_id = any($1::uuid[]) returning 1),
       gone_value as (delete from checkpoint_value using fence where thread_id = any($1::uuid[]) returning 1),
       gone_write as (delete from checkpoint_write using fence where thread_id = any($1::uuid[]) returning 1)
     select ${COUNTS} from fence`,
    fence ? [threadIds, fence.run_id, fence.epoch] : [threadIds],
  );
  if (!rows[0]) throw new RunFenced(fence!.run_id);
  return rows[0];
}

/**
 * Removes a run's checkpoints in all namespaces, its writes on other runs' checkpoints, and the values that only these
 * used. Keeps what later checkpoints' delta channels are rebuilt from. The run must not be executing.
 */
export async function deleteRunCheckpoints(
  db: Queryable,
  threadId: string,
  runId: string,
): Promise<CheckpointCounts> {
  const { rows } = await db.query<CheckpointCounts>(
    `with recursive other as (
       select * from checkpoint where thread_id = $1 and run_id is distinct from $2 and delta_channels is not null
     ), ${needed('other')},
     gone as (
       delete from checkpoint c where thread_id = $1 and run_id = $2 and not exists (
         select from needed where needed.checkpoint_ns = c.checkpoint_ns and needed.checkpoint_id = c.checkpoint_id)
       returning checkpoint_ns, checkpoint_id, channel_versions
     ),
     gone_write as (
       delete from checkpoint_write w where thread_id = $1 and (
         exists (select from gone c where c.checkpoint_ns = w.checkpoint_ns and c.checkpoint_id = w.checkpoint_id)
         or run_id = $2 and not exists (
           select from needed c where c.checkpoint_ns = w.checkpoint_ns and c.channel = w.channel
             and c.run_id = $2 and w.checkpoint_id in (c.checkpoint_id, c.parent_checkpoint_id)))
       returning 1
     ),
     left_over as materialized (
       select c.thread_id, c.checkpoint_ns, c.channel_versions from checkpoint c where thread_id = $1 and not exists (
         select from gone where gone.checkpoint_ns = c.checkpoint_ns and gone.checkpoint_id = c.checkpoint_id)
     ),
     ${named('left_over')},
     gone_value as (
       delete from checkpoint_value v
       using (select distinct checkpoint_ns, key, value from gone, jsonb_each_text(channel_versions)) lost
       where v.thread_id = $1 and v.checkpoint_ns = lost.checkpoint_ns
         and v.channel = lost.key and v.version = lost.value and ${isUnnamed('v')}
       returning 1
     )
     select ${COUNTS}`,
    [threadId, runId],
  );
  return rows[0]!;
}

/**
 * Removes all but the latest checkpoint of each thread, the latest states of its pending tasks' subgraphs and of
 * subgraphs with memory across runs, and what their delta channels are rebuilt from. The threads must not be
 * executing.
 */
export async function keepLatestCheckpoints(db: Queryable, threadIds: string[]): Promise<CheckpointCounts> {
  const { rows } = await db.query<CheckpointCounts>(
    `with recursive latest as (
       select distinct on (thread_id, checkpoint_ns) * from checkpoint where thread_id = any($1::uuid[])
       order by thread_id, checkpoint_ns, checkpoint_id desc
     ),
     head as (
       select latest.* from latest left join latest root
         on root.thread_id = latest.thread_id and root.checkpoint_ns = ''
       -- A task's namespace is obsolete once the thread's graph has moved past that task.
       where position(':' in latest.checkpoint_ns) = 0
         or coalesce(latest.metadata -> 'parents' ->> '' = root.checkpoint_id::text, true)
     ), ${needed('head')},
     kept as materialized (
       select c.* from checkpoint c join (
         select thread_id, checkpoint_ns, checkpoint_id from head
         union
         select thread_id, checkpoint_ns, checkpoint_id from needed
       ) id using (thread_id, checkpoint_ns, checkpoint_id)
     ),
     ${named('kept')},
     gone as (
       delete from checkpoint c where thread_id = any($1::uuid[]) and ${isGone('c')} returning 1
     ),
     gone_write as (
       delete from checkpoint_write w where thread_id = any($1::uuid[]) and ${isGone('w')} returning 1
     ),
     gone_value as (
       delete from checkpoint_value v where thread_id = any($1::uuid[]) and ${isUnnamed('v')} returning 1
     )
     select ${COUNTS}`,
    [threadIds],
  );
  return rows[0]!;
}

const VALUE_COLUMNS = 'checkpoint_ns, channel, version, type, value';
const WRITE_COLUMNS = 'checkpoint_ns, checkpoint_id, task_id, task_path, idx, run_id, channel, type, value';
const CHECKPOINT_COLUMNS = `checkpoint_ns, checkpoint_id, parent_checkpoint_id, run_id, format, channel_versions,
  delta_channels, body, metadata`;

/** Copies a thread's whole history, in all namespaces, to a thread without checkpoints. */
export async function copyCheckpoints(
  db: Queryable,
  fromThreadId: string,
  toThreadId: string,
): Promise<CheckpointCounts> {
  const { rows } = await db.query<CheckpointCounts>(
    `with gone as (
       insert into checkpoint (thread_id, ${CHECKPOINT_COLUMNS})
       select $2, ${CHECKPOINT_COLUMNS} from checkpoint where thread_id = $1 returning 1
     ),
     gone_value as (
       insert into checkpoint_value (thread_id, ${VALUE_COLUMNS})
       select $2, ${VALUE_COLUMNS} from checkpoint_value where thread_id = $1 returning 1
     ),
     gone_write as (
       insert into checkpoint_write (thread_id, ${WRITE_COLUMNS})
       select $2, ${WRITE_COLUMNS} from checkpoint_write where thread_id = $1 order by seq returning 1
     )
     select ${COUNTS}`,
    [fromThreadId, toThreadId],
  );
  return rows[0]!;
}

export interface CheckpointStorage extends CheckpointCounts {
  /** Bytes as stored, compressed; without indexes. */
  checkpoint_bytes: number;
  value_bytes: number;
  write_bytes: number;
}

export async function checkpointStorage(db: Queryable, threadId: string): Promise<CheckpointStorage> {
  const { rows } = await db.query<CheckpointStorage>(
    `select c.count as checkpoints, v.count as values, w.count as writes,
       c.bytes as checkpoint_bytes, v.bytes as value_bytes, w.bytes as write_bytes
     from (select count(*), coalesce(sum(pg_column_size(it.*)), 0)::bigint as bytes from checkpoint it where thread_id = $1) c,
       (select count(*), coalesce(sum(pg_column_size(it.*)), 0)::bigint as bytes from checkpoint_value it where thread_id = $1) v,
       (select count(*), coalesce(sum(pg_column_size(it.*)), 0)::bigint as bytes from checkpoint_write it where thread_id = $1) w`,
    [threadId],
  );
  return rows[0]!;
}
