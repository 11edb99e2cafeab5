import type { Queryable, Statement } from '../../platform/db/database.ts';
import type { CheckpointFilter } from '../../graph-protocol/checkpoint-storage.ts';
import {
  type CheckpointRow,
  PendingWrites,
  type Place,
  type StoredCheckpoint,
  type StoredValue,
  TASKS,
} from '../../graph-protocol/checkpoint-record.ts';

export interface ItemRow extends Pick<
  CheckpointRow,
  'thread_id' | 'checkpoint_ns' | 'checkpoint_id' | 'run_id'
> {
  parent_checkpoint_id: string | null;
  format: number;
  delta_channels: string[] | null;
  kind: 'checkpoint' | 'value' | 'write';
  /** Channel and version of a value; channel, task and its path of a write; `a` of a checkpoint has its channel versions. */
  a: string;
  b: string;
  c: string;
  type: string;
  value: string;
  /** JSON text; of checkpoints only. */
  metadata: string | null;
  idx: number;
  seq: number;
}

/**
 * The checkpoints that `page` selects, with their values and writes, one item per row, so that large texts are sent as
 * stored. A value shared with the previous checkpoint is sent once. `limit 1` makes the planner look each value up
 * by key instead of reading all values of the thread.
 */
const withItems = (page: string): string => `
  with page as materialized (${page})
  select c.thread_id, c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.run_id, c.format, c.delta_channels,
    item.*
  from (
    select page.*, lag(channel_versions) over (
      partition by thread_id, checkpoint_ns order by checkpoint_id desc) as sent_versions
    from page
  ) c cross join lateral (
    select 'checkpoint' as kind, c.channel_versions::text as a, '' as b, '' as c, '' as type, c.body as value,
      c.metadata::text as metadata, 0 as idx, 0::bigint as seq
    union all
    select 'value', named.key, named.value, '', v.type, v.value, null, 0, 0
    from jsonb_each_text(c.channel_versions) named cross join lateral (
      select type, value from checkpoint_value v
      where v.thread_id = c.thread_id and v.checkpoint_ns = c.checkpoint_ns
        and v.channel = named.key and v.version = named.value
      limit 1
    ) v
    where c.sent_versions ->> named.key is distinct from named.value
    union all
    select 'write', w.channel, w.task_id, w.task_path, w.type, w.value, null, w.idx, w.seq
    from checkpoint_write w
    where w.thread_id = c.thread_id and w.checkpoint_ns = c.checkpoint_ns and w.checkpoint_id = c.checkpoint_id
  ) item`;

const LATEST = withItems(`select * from checkpoint where thread_id = $1 and checkpoint_ns = $2
  order by checkpoint_id desc limit 1`);
const BY_ID = withItems(
  `select * from checkpoint where thread_id = $1 and checkpoint_ns = $2 and checkpoint_id = $3`,
);

const LATEST_OF_RUN = withItems(`select * from checkpoint
  where thread_id = (select thread_id from run where run_id = $1) and checkpoint_ns = ''
  order by checkpoint_id desc limit 1`);

/** Reads the latest checkpoint of a run's thread; `assemble` takes its rows. */
export const latestOfRun = (runId: string): Statement => ({
  name: 'latest-checkpoint-of-run',
  text: LATEST_OF_RUN,
  values: [runId],
});

/** The thread's latest checkpoint in its namespace, or the one named. */
export async function findCheckpoint(
  db: Queryable,
  { thread_id, checkpoint_ns }: Place,
  checkpointId?: string,
): Promise<StoredCheckpoint | undefined> {
  const { rows } = checkpointId
    ? await db.query<ItemRow>({ name: 'checkpoint-by-id', text: BY_ID }, [
        thread_id,
        checkpoint_ns,
        checkpointId,
      ])
    : await db.query<ItemRow>({ name: 'latest-checkpoint', text: LATEST }, [thread_id, checkpoint_ns]);
  return assemble(rows)[0];
}

/** The graph and assistant that wrote a thread's latest state; undefined if it has none. */
export async function findOrigin(
  db: Queryable,
  threadId: string,
): Promise<{ graph_id: string | null; assistant_id: string | null } | undefined> {
  const { rows } = await db.query<{ graph_id: string | null; assistant_id: string | null }>(
    `select metadata ->> 'graph_id' as graph_id, metadata ->> 'assistant_id' as assistant_id from checkpoint
     where thread_id = $1 and checkpoint_ns = '' order by checkpoint_id desc limit 1`,
    [threadId],
  );
  return rows[0];
}

/** Newest first. */
export async function listCheckpoints(
  db: Queryable,
  { after, ...filter }: CheckpointFilter,
  limit: number,
): Promise<StoredCheckpoint[]> {
  const params: unknown[] = [];
  const conditions = ['true'];
  const where = (condition: (...params: string[]) => string, ...values: unknown[]) => {
    if (values.includes(undefined)) return;
    conditions.push(condition(...values.map((value) => `$${params.push(value)}`)));
  };
  where((id) => `thread_id = ${id}`, filter.thread_id);
  where((ns) => `checkpoint_ns = ${ns}`, filter.checkpoint_ns);
  where((id) => `checkpoint_id = ${id}`, filter.checkpoint_id);
  where((id) => `checkpoint_id < ${id}`, filter.before);
  where((json) => `metadata @> ${json}::jsonb`, filter.metadata);
  where(
    (id, thread, ns) => `(checkpoint_id, thread_id, checkpoint_ns) < (${id}, ${thread}, ${ns})`,
    after?.checkpoint_id,
    after?.thread_id,
    after?.checkpoint_ns,
  );
  const page = `select * from checkpoint where ${conditions.join(' and ')}
    order by checkpoint_id desc, thread_id desc, checkpoint_ns desc limit $${params.push(limit)}`;
  const { rows } = await db.query<ItemRow>(withItems(page), params);
  return assemble(rows);
}

/** `Send`s among a checkpoint's writes, in the engine's order. */
export async function findSends(
  db: Queryable,
  { thread_id, checkpoint_ns }: Place,
  id: string,
): Promise<StoredValue[]> {
  const { rows } = await db.query<StoredValue>(
    `select type, value from checkpoint_write
     where thread_id = $1 and checkpoint_ns = $2 and checkpoint_id = $3 and channel = '${TASKS}'
     order by task_path, task_id, idx`,
    [thread_id, checkpoint_ns, id],
  );
  return rows;
}

/** Newest first; writes in the order they were made. */
export function assemble(rows: ItemRow[]): StoredCheckpoint[] {
  const checkpoints = new Map<string, StoredCheckpoint>();
  const sent = new Map<string, StoredValue>();
  const keyOf = (...parts: string[]): string => JSON.stringify(parts);
  for (const { kind, a, b, c, type, value, metadata, idx, seq: _, ...columns } of rows.sort(
    (x, y) => x.seq - y.seq,
  )) {
    const { thread_id, checkpoint_ns, checkpoint_id } = columns;
    const key = keyOf(thread_id, checkpoint_ns, checkpoint_id);
    if (kind === 'checkpoint') {
      const row: CheckpointRow = {
        ...columns,
        channel_versions: JSON.parse(a),
        metadata: metadata!,
        body: value,
      };
      checkpoints.set(key, { row, values: new Map(), writes: new PendingWrites() });
    } else if (kind === 'value') {
      sent.set(keyOf(thread_id, checkpoint_ns, a, b), { type, value });
    } else {
      checkpoints.get(key)?.writes.add({ task_id: b, task_path: c, idx, channel: a, type, value });
    }
  }
  for (const { row, values } of checkpoints.values()) {
    for (const [channel, version] of Object.entries(row.channel_versions)) {
      const value = sent.get(keyOf(row.thread_id, row.checkpoint_ns, channel, String(version)));
      if (value) values.set(channel, value);
    }
  }
  const place = ({ row }: StoredCheckpoint): string =>
    `${row.checkpoint_id} ${row.thread_id} ${row.checkpoint_ns}`;
  return [...checkpoints.values()].sort((x, y) => (place(x) < place(y) ? 1 : -1));
}

/** Id of the run's last checkpoint in the root namespace; undefined if it wrote none. */
export async function findLastOfRun(
  db: Queryable,
  threadId: string,
  runId: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ checkpoint_id: string }>(
    `select checkpoint_id from checkpoint where thread_id = $1 and checkpoint_ns = '' and run_id = $2
     order by checkpoint_id desc limit 1`,
    [threadId, runId],
  );
  return rows[0]?.checkpoint_id;
}
