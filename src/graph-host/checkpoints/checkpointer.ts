import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Queryable } from '../../platform/db/database.ts';
import type { Fence } from '../../agent-server/events/event-repository.ts';
import { ChannelClock } from './channel-version.ts';
import { deleteThreadCheckpoints } from '../../agent-server/checkpoints/checkpoint-maintenance.ts';
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
  db: Queryable;
  /** The attempt that writes. Once the run is claimed again, or is no longer running, every put throws RunFenced. */
  fence?: Pick<Fence, 'run_id' | 'epoch'> | undefined;
  /** Run that what is put belongs to; the fence's, where not given. */
  run_id?: string | undefined;
  /** Goes into the metadata of each checkpoint. */
  metadata?: Record<string, unknown> | undefined;
  /** A thread that had no checkpoints when the run was claimed: a fenced checkpointer then looks for none. */
  emptyThread?: string | undefined;
  /**
   * Told at once when a write of a fenced checkpointer failed. The engine itself hears of it only at its next wait for
   * its writes, which may be the end of the run: stop it.
   */
  onFailure?: ((error: unknown) => void) | undefined;
}

const classes = new WeakMap<SaverClass, Saver>();

/**
 * A checkpointer of ours for the engine of an agent project: states are revived with the project's own classes. Make
 * one for each run or operation: with a fence it remembers what it read and wrote.
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
      const { db, fence, run_id = fence?.run_id, metadata } = options;
      const { serde } = this;
      const deltaChannels = new Set<string>();
      const memory = fence && new CheckpointMemory(deltaChannels, options.emptyThread);
      this.#options = options;
      this.#memory = memory;
      this.#pace = fence && new PutPace();
      this.#context = { serde, run_id, metadata, deltaChannels };
      this.#batch = new WriteBatch({
        db,
        fence,
        onWrite: (unit) => memory?.wrote(unit),
        onFailure: (error) => {
          memory?.forget();
          options.onFailure?.(error);
        },
      });
      const settled = () => this.#batch.drain();
      this.#reader = new CheckpointReader({ db, serde, memory, deltaChannels, settled });
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
      await deleteThreadCheckpoints(this.#options.db, [threadId], this.#options.fence);
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
