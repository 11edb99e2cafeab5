/** A serialised value. `value` is the text itself where `type` is json, else base64 of the serialiser's bytes. */
export interface StoredValue {
  type: string;
  value: string;
}

/** Writes of no run carry this. */
export const NIL_RUN = '00000000-0000-0000-0000-000000000000';

/** Newest format of checkpoints; in older ones, a checkpoint's `Send`s are only in its parent's writes. */
export const CURRENT_FORMAT = 4;

/** Channel of `Send`s. */
export const TASKS = '__pregel_tasks';

/** What the engine marks a task with: negative, so that it is not taken for one of the task's own writes. */
const MARKS: Record<string, number> = { __error__: -1, __scheduled__: -2, __interrupt__: -3, __resume__: -4 };

/** Index of a task's nth write. */
export const writeIndex = (channel: string, position: number): number => MARKS[channel] ?? position;

export interface Place {
  thread_id: string;
  checkpoint_ns: string;
}

export interface CheckpointRow extends Place {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  run_id: string | null;
  format: number;
  channel_versions: Record<string, number | string>;
  delta_channels: string[] | null;
  /** JSON text of the engine's record, less what the other columns say. */
  body: string;
  /** JSON text. */
  metadata: string;
}

export interface ValueRow extends Place, StoredValue {
  channel: string;
  version: string;
}

export interface WriteRow extends Place, StoredValue {
  checkpoint_id: string;
  task_id: string;
  /** Where the task is among those of its superstep; missing from engines that do not name it. */
  task_path?: string | undefined;
  idx: number;
  run_id: string;
  channel: string;
}

/** What one put or putWrites stores. */
export interface WriteUnit {
  checkpoint?: CheckpointRow;
  /** Channels that changed with the checkpoint; those of them without a value have none. */
  changed: ReadonlySet<string>;
  values: ValueRow[];
  writes: WriteRow[];
}

export type PendingWriteRow = Pick<WriteRow, 'task_id' | 'task_path' | 'idx' | 'channel' | 'type' | 'value'>;

/** How one channel came to its value: what was stored of it last, and all that was written since, oldest first. */
export interface ChannelHistory {
  seed?: StoredValue;
  writes: PendingWriteRow[];
}

/** A checkpoint as it is stored, with everything it names. */
export interface StoredCheckpoint {
  row: CheckpointRow;
  values: Map<string, StoredValue>;
  writes: PendingWrites;
}

/** Writes on top of one checkpoint, added in the order they were made. */
export class PendingWrites {
  readonly #rows = new Map<string, PendingWriteRow>();

  /** Of several marks of a task the last counts, of several writes with one index the first. */
  add(row: PendingWriteRow): void {
    const key = `${row.idx} ${row.task_id}`;
    if (row.idx < 0 || !this.#rows.has(key)) this.#rows.set(key, row);
  }

  /** By task, then by index: the order in which the engine applies them. Paths compare by code point, as in Python. */
  sorted(): PendingWriteRow[] {
    return [...this.#rows.values()]
      .map((row) => ({ row, path: Buffer.from(row.task_path ?? '') }))
      .sort((a, b) => Buffer.compare(a.path, b.path) || compareTasks(a.row, b.row))
      .map(({ row }) => row);
  }
}

const compareTasks = (a: PendingWriteRow, b: PendingWriteRow): number =>
  a.task_id < b.task_id ? -1 : a.task_id > b.task_id ? 1 : a.idx - b.idx;
