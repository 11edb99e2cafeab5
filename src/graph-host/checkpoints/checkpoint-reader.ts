import type {
  CheckpointListOptions,
  CheckpointTuple,
  DeltaChannelHistory,
  SerializerProtocol,
} from '@langchain/langgraph-checkpoint';
import { storableJson } from './checkpoint-metadata.ts';
import type { CheckpointMemory } from './checkpoint-memory.ts';
import { checkpointIdOf, findPlace, isUuid } from '../../graph-protocol/checkpoint-place.ts';
import type { ChannelHistory, Place, StoredCheckpoint } from '../../graph-protocol/checkpoint-record.ts';
import type { CheckpointStorage } from '../../graph-protocol/checkpoint-storage.ts';
import { needsSends, toTuple } from './checkpoint-tuple.ts';
import { reviveValue } from './stored-value.ts';

// Small, because a reader may stop after a few checkpoints.
const FIRST_PAGE = 10;
const LARGEST_PAGE = 100;

interface Config {
  configurable?: Record<string, unknown>;
}

export interface ReaderOptions {
  storage: CheckpointStorage;
  serde: SerializerProtocol;
  /** Set for a run, which is its thread's single writer. */
  memory?: CheckpointMemory | undefined;
  deltaChannels: Set<string>;
  /** Settles when the memory knows what was put before. */
  noted: () => Promise<void>;
  /** Settles when what was put before is in the database. */
  settled: () => Promise<void>;
}

/** The reading half of a checkpointer. */
export class CheckpointReader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  async tuple(config: Config): Promise<CheckpointTuple | undefined> {
    const place = findPlace(config);
    const stored = place && (await this.#find(place, checkpointIdOf(config)));
    return stored && this.#toTuple(stored);
  }

  async *list(config: Config, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { configurable = {} } = config;
    const place = findPlace(config);
    const before = options.before && checkpointIdOf(options.before);
    const id = checkpointIdOf(config);
    if ((configurable['thread_id'] !== undefined && !place) || [before, id].some((it) => it && !isUuid(it)))
      return;
    const filter = {
      thread_id: place?.thread_id,
      checkpoint_ns: configurable['checkpoint_ns'] as string | undefined,
      checkpoint_id: id,
      before,
      metadata: options.filter && storableJson(JSON.stringify(options.filter)),
    };
    let left = options.limit ?? Infinity;
    let after: StoredCheckpoint['row'] | undefined;
    for (let size = FIRST_PAGE; left > 0; size = Math.min(size * 2, LARGEST_PAGE)) {
      await this.#options.settled();
      const limit = Math.min(left, options.limit === undefined ? size : LARGEST_PAGE);
      const page = await this.#options.storage.list({ ...filter, after }, limit);
      for (const stored of page) yield this.#toTuple(stored);
      if (page.length < limit) return;
      left -= page.length;
      after = page.at(-1)!.row;
    }
  }

  async histories(config: Config, channels: string[]): Promise<Record<string, DeltaChannelHistory>> {
    for (const channel of channels) this.#options.deltaChannels.add(channel);
    const place = findPlace(config);
    const stored = place && channels.length > 0 ? await this.#find(place, checkpointIdOf(config)) : undefined;
    const histories = stored && (await this.#findHistories(stored, channels));
    const entries = channels.map(
      async (channel) =>
        [channel, await this.#reviveHistory(histories?.get(channel) ?? { writes: [] })] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  /** Records the server's answer to a search for a checkpoint: by id, or the latest. */
  found(place: Place, id: string | undefined, stored: StoredCheckpoint | undefined): void {
    const { memory, deltaChannels } = this.#options;
    for (const channel of stored?.row.delta_channels ?? []) deltaChannels.add(channel);
    memory?.read(place, id, stored);
  }

  async #find(place: Place, id: string | undefined): Promise<StoredCheckpoint | undefined> {
    const { storage, memory, noted, settled } = this.#options;
    if (id !== undefined && !isUuid(id)) return undefined;
    await noted();
    const known = memory?.find(place, id);
    if (known !== undefined) return known ?? undefined;
    await settled();
    const found = await storage.find(place, id);
    this.found(place, id, found);
    return found;
  }

  async #findHistories(
    { row }: StoredCheckpoint,
    channels: string[],
  ): Promise<ReadonlyMap<string, ChannelHistory>> {
    const { storage, memory, settled } = this.#options;
    const known = channels.flatMap((channel) => memory?.history(row, channel) ?? []);
    if (known.length === channels.length)
      return new Map(channels.map((channel, index) => [channel, known[index]!]));
    await settled();
    const found = await storage.histories(row, row.checkpoint_id, channels);
    memory?.readHistories(row, found);
    return found;
  }

  async #toTuple(stored: StoredCheckpoint): Promise<CheckpointTuple> {
    const { storage, serde } = this.#options;
    const { row } = stored;
    return toTuple(serde, stored, needsSends(row) ? await storage.sends(row, row.parent_checkpoint_id!) : []);
  }

  async #reviveHistory({ seed, writes }: ChannelHistory): Promise<DeltaChannelHistory> {
    const { serde } = this.#options;
    const revived = writes.map(async (write): Promise<[string, string, unknown]> => [
      write.task_id,
      write.channel,
      await reviveValue(serde, write),
    ]);
    return {
      writes: await Promise.all(revived),
      ...(seed && { seed: await reviveValue(serde, seed) }),
    };
  }
}
