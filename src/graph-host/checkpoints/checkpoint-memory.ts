import {
  type ChannelHistory,
  type CheckpointRow,
  PendingWrites,
  type Place,
  type StoredCheckpoint,
  type WriteUnit,
} from '../../graph-protocol/checkpoint-record.ts';

/** Limit of subgraph namespaces remembered per run. */
const MOST_NAMESPACES = 32;

interface Known extends StoredCheckpoint {
  histories: Map<string, ChannelHistory>;
}

interface Namespace {
  /** Id of the latest checkpoint; null if there is none, undefined if unknown. */
  latest?: string | null;
  checkpoints: Map<string, Known>;
  /** Writes that arrived before their checkpoint. */
  early: Map<string, PendingWrites>;
  /** Whether this run put a checkpoint here. */
  written: boolean;
}

/**
 * Caches what one run has read and written. Valid only while the run is its thread's single writer. Everything is kept
 * serialised, so that no two readers share a state.
 */
export class CheckpointMemory {
  readonly #namespaces = new Map<string, Namespace>();
  readonly #subgraphs: Namespace[] = [];
  /** Channels whose values are rebuilt from their writes. */
  readonly #deltaChannels: ReadonlySet<string>;

  constructor(deltaChannels: ReadonlySet<string>) {
    this.#deltaChannels = deltaChannels;
  }

  /** Null if there is no such checkpoint; undefined if only the database knows. */
  find(place: Place, checkpointId?: string): Known | null | undefined {
    const namespace = this.#namespaces.get(keyOf(place));
    if (!namespace) return checkpointId === undefined && this.#isNew(place) ? null : undefined;
    if (checkpointId !== undefined) return namespace.checkpoints.get(checkpointId);
    return typeof namespace.latest === 'string'
      ? namespace.checkpoints.get(namespace.latest)
      : namespace.latest;
  }

  /** Records the database's answer to a search for a checkpoint: by id, or the latest. */
  read(place: Place, checkpointId: string | undefined, found: StoredCheckpoint | undefined): void {
    const namespace = this.#namespace(place);
    const id = found?.row.checkpoint_id;
    // A checkpoint written during the query is newer than the query's result.
    if (checkpointId === undefined && !(namespace.latest && namespace.latest > (id ?? '')))
      namespace.latest = id ?? null;
    if (!found || !id || namespace.checkpoints.has(id)) return;
    for (const write of namespace.early.get(id)?.sorted() ?? []) found.writes.add(write);
    namespace.early.delete(id);
    namespace.checkpoints.set(id, { ...found, histories: new Map() });
  }

  readHistories(row: CheckpointRow, histories: ReadonlyMap<string, ChannelHistory>): void {
    const known = this.#namespace(row).checkpoints.get(row.checkpoint_id);
    for (const [channel, history] of histories) known?.histories.set(channel, history);
  }

  /** A channel's history up to a checkpoint; undefined if only the database knows. */
  history(row: CheckpointRow, channel: string): ChannelHistory | undefined {
    const known = this.#namespaces.get(keyOf(row))?.checkpoints.get(row.checkpoint_id);
    return known && historyAt(known, channel);
  }

  /** Records that this run is about to write a checkpoint here. */
  writes(place: Place): void {
    this.#namespace(place).written = true;
  }

  /** Records a write to the database. */
  wrote(unit: WriteUnit): void {
    for (const { thread_id, checkpoint_ns, checkpoint_id, ...write } of unit.writes) {
      const { checkpoints, early } = this.#namespace({ thread_id, checkpoint_ns });
      let pending = checkpoints.get(checkpoint_id)?.writes ?? early.get(checkpoint_id);
      if (!pending) early.set(checkpoint_id, (pending = new PendingWrites()));
      pending.add(write);
    }
    if (unit.checkpoint) this.#wroteCheckpoint(unit.checkpoint, unit);
  }

  forget(): void {
    this.#namespaces.clear();
  }

  #wroteCheckpoint(row: CheckpointRow, unit: WriteUnit): void {
    const namespace = this.#namespace(row);
    const again = namespace.checkpoints.get(row.checkpoint_id);
    // As in the insert statement, a run does not change an earlier run's checkpoint.
    if (again && again.row.run_id !== row.run_id) return;
    const parent =
      row.parent_checkpoint_id === null ? undefined : namespace.checkpoints.get(row.parent_checkpoint_id);
    const known: Known = {
      row: again ? { ...row, parent_checkpoint_id: again.row.parent_checkpoint_id } : row,
      values: new Map(),
      writes: again?.writes ?? namespace.early.get(row.checkpoint_id) ?? new PendingWrites(),
      histories: again?.histories ?? (parent ? this.#continued(parent) : new Map()),
    };
    const complete = carryValues(known, unit, [...namespace.checkpoints.values()]);
    namespace.early.delete(row.checkpoint_id);
    namespace.checkpoints.clear();
    if (complete) namespace.checkpoints.set(row.checkpoint_id, known);
    // A checkpoint from a machine whose clock is ahead may still be the latest.
    if (namespace.latest == null || namespace.latest <= row.checkpoint_id)
      namespace.latest = row.checkpoint_id;
  }

  /** Channel histories for a child of this checkpoint. */
  #continued(parent: Known): Map<string, ChannelHistory> {
    const pending = parent.writes.sorted();
    const histories = new Map<string, ChannelHistory>();
    for (const channel of this.#deltaChannels) {
      const writes = pending.filter((write) => write.channel === channel);
      const seed = parent.values.get(channel);
      const before = seed ? { seed, writes: [] } : historyAt(parent, channel);
      if (before) histories.set(channel, { ...before, writes: [...before.writes, ...writes] });
    }
    return histories;
  }

  #namespace(place: Place): Namespace {
    const key = keyOf(place);
    let namespace = this.#namespaces.get(key);
    if (!namespace) {
      namespace = { checkpoints: new Map(), early: new Map(), written: false };
      this.#namespaces.set(key, namespace);
      if (place.checkpoint_ns === '') return namespace;
      if (this.#subgraphs.push(namespace) > MOST_NAMESPACES) this.#subgraphs.shift()!.checkpoints.clear();
    }
    return namespace;
  }

  /**
   * A subgraph's namespace contains its task's id (`node:task id`), which is derived from the checkpoint the task
   * starts from. So a subgraph that starts from a checkpoint of this run has no earlier checkpoints.
   */
  #isNew({ thread_id, checkpoint_ns }: Place): boolean {
    const path = checkpoint_ns.split('|');
    return path.some(
      (segment, depth) =>
        /:[0-9a-f-]{36}$/.test(segment) &&
        this.#namespaces.get(keyOf({ thread_id, checkpoint_ns: path.slice(0, depth).join('|') }))?.written ===
          true,
    );
  }
}

const historyAt = ({ row, histories }: Known, channel: string): ChannelHistory | undefined =>
  histories.get(channel) ?? (row.parent_checkpoint_id === null ? { writes: [] } : undefined);

const keyOf = ({ thread_id, checkpoint_ns }: Place): string => `${thread_id} ${checkpoint_ns}`;

/**
 * Completes a new checkpoint's values: some came with it, others are those of cached checkpoints with the same
 * versions. Returns false if a value may be stored but is not cached.
 */
function carryValues(
  { row, values }: Known,
  { values: added, changed }: WriteUnit,
  others: Known[],
): boolean {
  for (const { channel, type, value } of added) values.set(channel, { type, value });
  return Object.entries(row.channel_versions).every(([channel, version]) => {
    if (changed.has(channel)) return true;
    const other = others.find((known) => known.row.channel_versions[channel] === version);
    const value = other?.values.get(channel);
    if (value) values.set(channel, value);
    return other !== undefined;
  });
}
