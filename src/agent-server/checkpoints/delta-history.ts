import type { Queryable } from '../../platform/db/database.ts';
import {
  type ChannelHistory,
  type PendingWriteRow,
  PendingWrites,
  type Place,
} from '../../graph-protocol/checkpoint-record.ts';

interface HistoryRow extends PendingWriteRow {
  depth: number;
  kind: 'seed' | 'write';
}

/**
 * Histories of some channels up to a checkpoint, excluding its own writes. Follows parents, for each channel back to
 * the first checkpoint that stores its value. `limit 1` makes the planner look each up by key.
 */
export async function findChannelHistories(
  db: Queryable,
  { thread_id, checkpoint_ns }: Place,
  checkpointId: string,
  channels: string[],
): Promise<Map<string, ChannelHistory>> {
  const { rows } = await db.query<HistoryRow>(
    `with recursive ancestor as (
       select 0 as depth, checkpoint_id, parent_checkpoint_id, channel_versions,
         '{}'::text[] as wanted, $4::text[] as missing
       from checkpoint where thread_id = $1 and checkpoint_ns = $2 and checkpoint_id = $3
       union all
       select a.depth + 1, c.checkpoint_id, c.parent_checkpoint_id, c.channel_versions, a.missing, array(
         select it.name from unnest(a.missing) it (name) where not exists (
           select from checkpoint_value v where v.thread_id = $1 and v.checkpoint_ns = $2
             and v.channel = it.name and v.version = c.channel_versions ->> it.name))
       from ancestor a cross join lateral (
         select * from checkpoint c
         where c.thread_id = $1 and c.checkpoint_ns = $2 and c.checkpoint_id = a.parent_checkpoint_id
         limit 1
       ) c
       where cardinality(a.missing) > 0
     )
     select a.depth, item.* from ancestor a cross join lateral (
       select 'write' as kind, w.task_id, w.task_path, w.idx, w.channel, w.type, w.value, w.seq
       from checkpoint_write w
       where w.thread_id = $1 and w.checkpoint_ns = $2 and w.checkpoint_id = a.checkpoint_id
         and w.channel = any(a.wanted)
       union all
       select 'seed', '', '', 0, it.name, v.type, v.value, 0
       from unnest(a.wanted) it (name) cross join lateral (
         select type, value from checkpoint_value v where v.thread_id = $1 and v.checkpoint_ns = $2
           and v.channel = it.name and v.version = a.channel_versions ->> it.name
         limit 1
       ) v
     ) item
     order by a.depth desc, item.seq`,
    [thread_id, checkpoint_ns, checkpointId, channels],
  );
  return gather(rows, channels);
}

function gather(rows: HistoryRow[], channels: string[]): Map<string, ChannelHistory> {
  const histories = new Map<string, ChannelHistory>(channels.map((channel) => [channel, { writes: [] }]));
  const steps = new Map<number, PendingWrites>();
  for (const { depth, kind, task_id, task_path, idx, channel, type, value } of rows) {
    if (kind === 'seed') {
      histories.get(channel)!.seed = { type, value };
    } else {
      if (!steps.has(depth)) steps.set(depth, new PendingWrites());
      steps.get(depth)!.add({ task_id, task_path, idx, channel, type, value });
    }
  }
  for (const writes of steps.values()) {
    for (const write of writes.sorted()) histories.get(write.channel)!.writes.push(write);
  }
  return histories;
}
