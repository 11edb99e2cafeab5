import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { StoredCheckpoint, WriteUnit } from '../../graph-protocol/checkpoint-record.ts';
import type { CheckpointStorage } from '../../graph-protocol/checkpoint-storage.ts';
import { ChannelClock } from './channel-version.ts';
import { CheckpointMemory } from './checkpoint-memory.ts';
import { CheckpointReader } from './checkpoint-reader.ts';
import { configOf, requirePlace } from '../../graph-protocol/checkpoint-place.ts';
import { checkpointUnit, type UnitContext, writesUnit } from './checkpoint-unit.ts';
import { PutPace } from './put-pace.ts';
import { WriteBatch } from './write-batch.ts';

type SaverClass = abstract new () => BaseCheckpointSaver;
type Saver = new (options: CheckpointerOptions) => HostCheckpointer;

export interface HostCheckpointer extends BaseCheckpointSaver {
  /** Settles when everything put is stored. Throws if a write of the run failed. */
  drain(): Promise<void>;
  /** Returns the last puts for the caller to store. Throws if a write of the run failed. */
  take(): Promise<WriteUnit[]>;
}

// A shorter run stores all of its checkpoints with its outcome.
const FIRST_WRITE_WAITS_MS = 15;

/** The parts of the project's own engine that the checkpointer uses. */
export interface CheckpointerBase {
  BaseCheckpointSaver: SaverClass;
}

export interface CheckpointerOptions {
  storage: CheckpointStorage;
  /** For a run, its thread's single writer: the first failed write fails all later ones. */
  fenced?: boolean | undefined;
  /** For runs: puts settle before they are stored, and `take` returns the last ones. */
  deferred?: boolean | undefined;
  /** The run that puts belong to. */
  run_id?: string | undefined;
  /** Added to the metadata of each checkpoint. */
  metadata?: Record<string, unknown> | undefined;
  /** Of a run: the thread's latest checkpoint when the run was claimed, if known. */
  start?: { thread_id: string; checkpoint: StoredCheckpoint | undefined } | undefined;
  /**
   * Called immediately when a run's write fails, to stop the run. The engine itself notices only when it next awaits
   * its writes, perhaps at the end of the run.
   */
  onFailure?: ((error: unknown) => void) | undefined;
}

const classes = new WeakMap<SaverClass, Saver>();

/**
 * Creates a checkpointer for the project's own engine, which revives states with the project's classes. Create one per
 * run or operation, because a run's checkpointer caches what it reads and writes.
 */
export function createCheckpointer(base: CheckpointerBase, options: CheckpointerOptions): HostCheckpointer {
  let saver = classes.get(base.BaseCheckpointSaver);
  if (!saver) classes.set(base.BaseCheckpointSaver, (saver = defineSaver(base.BaseCheckpointSaver)));
  return new saver(options);
}

type Method<Name extends keyof BaseCheckpointSaver> = Extract<
  BaseCheckpointSaver[Name],
  (...args: never[]) => unknown
>;

function defineSaver(Base: SaverClass): Saver {
  return class PostgresCheckpointer extends Base {
    readonly #batch: WriteBatch;
    readonly #reader: CheckpointReader;
    readonly #context: UnitContext;
    readonly #pace: PutPace | undefined;
    readonly #clock = new ChannelClock();
    readonly #memory: CheckpointMemory | undefined;
    readonly #options: CheckpointerOptions;

    constructor(options: CheckpointerOptions) {
      super();
      const { storage, fenced = false, run_id, metadata } = options;
      const { serde } = this;
      const deltaChannels = new Set<string>();
      const memory = fenced ? new CheckpointMemory(deltaChannels) : undefined;
      this.#options = options;
      this.#memory = memory;
      this.#pace = fenced ? new PutPace() : undefined;
      this.#context = { serde, run_id, metadata, deltaChannels };
      this.#batch = new WriteBatch({
        storage,
        fenced,
        waitMs: options.deferred ? FIRST_WRITE_WAITS_MS : undefined,
        onWrite: (unit) => memory?.wrote(unit),
        onFailure: (error) => {
          memory?.forget();
          options.onFailure?.(error);
        },
      });
      const noted = () => this.#batch.noted();
      const settled = () => this.#batch.drain();
      this.#reader = new CheckpointReader({ storage, serde, memory, deltaChannels, noted, settled });
      if (options.start) {
        const { thread_id, checkpoint } = options.start;
        this.#reader.found({ thread_id, checkpoint_ns: '' }, undefined, checkpoint);
      }
      // To update a subgraph's state, the engine calls it as a method of the subgraph's checkpointer, which is undefined.
      this.getNextVersion = this.getNextVersion.bind(this);
    }

    override async getTuple(...[config]: Parameters<Method<'getTuple'>>) {
      return this.#reader.tuple(config);
    }

    override list(...[config, options]: Parameters<Method<'list'>>) {
      return this.#reader.list(config, options);
    }

    override async put(...[config, checkpoint, metadata, versions]: Parameters<Method<'put'>>) {
      const place = requirePlace(config);
      const committed = this.#batch.add(
        checkpointUnit(this.#context, config, checkpoint, metadata, versions),
      );
      this.#memory?.writes(place);
      await this.#wait(committed, () => this.#pace?.hold(place, committed) ?? committed);
      return configOf(place, checkpoint.id);
    }

    override async putWrites(...[config, writes, taskId, taskPath]: Parameters<Method<'putWrites'>>) {
      const committed = this.#batch.add(writesUnit(this.#context, config, writes, taskId, taskPath));
      this.#pace?.release(requirePlace(config));
      await this.#wait(committed, () => committed);
    }

    override async deleteThread(threadId: string) {
      await this.#batch.drain();
      await this.#options.storage.deleteThread(threadId);
      this.#memory?.forget();
    }

    override async getDeltaChannelHistory({
      config,
      channels,
    }: Parameters<Method<'getDeltaChannelHistory'>>[0]) {
      return this.#reader.histories(config, channels);
    }

    override getNextVersion(current: number | undefined) {
      return this.#clock.next(current);
    }

    drain() {
      return this.#batch.drain();
    }

    take() {
      return this.#batch.take();
    }

    async #wait(committed: Promise<void>, settled: () => Promise<void>) {
      if (!this.#options.deferred) return settled();
      // `onFailure` stops the run.
      committed.catch(() => {});
    }

    // Older engines have no such method, and would look into everything here when they print a configuration.
    override toJSON() {
      return '[PostgresCheckpointer]';
    }
  };
}
