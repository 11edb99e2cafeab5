import type {
  ChannelHistory,
  CheckpointRow,
  Place,
  StoredCheckpoint,
  StoredValue,
  WriteUnit,
} from './checkpoint-record.ts';

export interface CheckpointFilter {
  thread_id?: string | undefined;
  checkpoint_ns?: string | undefined;
  checkpoint_id?: string | undefined;
  /** Only checkpoints with a smaller id. */
  before?: string | undefined;
  /** JSON text that the metadata contains. */
  metadata?: string | undefined;
  /** Last checkpoint of the page before. */
  after?: Pick<CheckpointRow, 'thread_id' | 'checkpoint_ns' | 'checkpoint_id'> | undefined;
}

/** Where the checkpointer of an engine keeps what it has serialised. */
export interface CheckpointStorage {
  /** The latest checkpoint of its namespace, or the one named. */
  find(place: Place, checkpointId?: string): Promise<StoredCheckpoint | undefined>;
  /** Newest first. */
  list(filter: CheckpointFilter, limit: number): Promise<StoredCheckpoint[]>;
  /** `Send`s written on top of a checkpoint. */
  sends(place: Place, checkpointId: string): Promise<StoredValue[]>;
  histories(
    place: Place,
    checkpointId: string,
    channels: string[],
  ): Promise<ReadonlyMap<string, ChannelHistory>>;
  /** In order, all or none. Throws RunFenced when the run is no longer the writer's. */
  write(units: WriteUnit[]): Promise<void>;
  deleteThread(threadId: string): Promise<void>;
}
