import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { CheckpointStorage } from '../../graph-protocol/checkpoint-storage.ts';
import { ChannelClock } from './channel-version.ts';
import { CheckpointMemory } from './checkpoint-memory.ts';
import { CheckpointReader } from './checkpoint-reader.ts';
import { configOf, requirePlace } from '../../graph-protocol/checkpoint-place.ts';
import { checkpointUnit, type UnitContext, writesUnit } from './checkpoint-unit.ts';
import { PutPace } from './put-pace.ts';
import { WriteBatch } from './write-batch.ts';

type SaverClass = abstract new () => BaseCheckpointSaver;
type Saver = new (options: CheckpointerOptions) => BaseCheckpointSaver;

/** What the checkpointer takes of the agent project's own engine. */
export interface CheckpointerBase {
  BaseCheckpointSaver: SaverClass;
}

export interface CheckpointerOptions {
  storage: CheckpointStorage;
  /** The checkpointer of a run, the one writer of its thread: its first failed write fails everything after it. */
  fenced?: boolean | undefined;
  /** Run that what is put belongs to. */
  run_id?: string | undefined;
  /** Goes into the metadata of each checkpoint. */
  metadata?: Record<string, unknown> | undefined;
  /** A thread that had no checkpoints when the run was claimed: a run's checkpointer then looks for none. */
  emptyThread?: string | undefined;
  /**
   * Called at once when a write of a run failed. The engine itself hears of it only at its next wait for
   * its writes, which may be the end of the run: stop it.
   */
  onFailure?: ((error: unknown) => void) | undefined;
}

const classes = new WeakMap<SaverClass, Saver>();

/**
 * A checkpointer of ours for the engine of an agent project: states are revived with the project's own classes. Make
 * one for each run or operation: that of a run remembers what it read and wrote.
 */
export function createCheckpointer(
  base: CheckpointerBase,
  options: CheckpointerOptions,
): BaseCheckpointSaver {
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
      const memory = fenced ? new CheckpointMemory(deltaChannels, options.emptyThread) : undefined;
      this.#options = options;
      this.#memory = memory;
      this.#pace = fenced ? new PutPace() : undefined;
      this.#context = { serde, run_id, metadata, deltaChannels };
      this.#batch = new WriteBatch({
        storage,
        fenced,
        onWrite: (unit) => memory?.wrote(unit),
        onFailure: (error) => {
          memory?.forget();
          options.onFailure?.(error);
        },
      });
      const settled = () => this.#batch.drain();
      this.#reader = new CheckpointReader({ storage, serde, memory, deltaChannels, settled });
      // Updating a subgraph's state, the engine calls it in the name of that graph's own checkpointer: there is none.
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
      await (this.#pace?.hold(place, committed) ?? committed);
      return configOf(place, checkpoint.id);
    }

    override async putWrites(...[config, writes, taskId]: Parameters<Method<'putWrites'>>) {
      const committed = this.#batch.add(writesUnit(this.#context, config, writes, taskId));
      this.#pace?.release(requirePlace(config));
      await committed;
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

    // Older engines have no such method, and would look into everything here when they print a configuration.
    override toJSON() {
      return '[PostgresCheckpointer]';
    }
  };
}
