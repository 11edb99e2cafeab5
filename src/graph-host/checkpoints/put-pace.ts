import type { Place } from '../../graph-protocol/checkpoint-record.ts';

/**
 * The engine calls the next put of a graph only when the one before has settled, while the graph itself goes on. Were
 * each settled by its commit, every superstep would cost a round trip of its own, however fast. So a put is settled
 * as soon as its graph is seen to have gone on, and only the last one waits for its commit: commits keep their order, so
 * it stands for all. Only for a fenced run, where the failure of one write is that of all after it.
 */
export class PutPace {
  readonly #held = new Map<string, () => void>();

  /** Settles with `committed`, or earlier when the same graph puts something else. */
  async hold(place: Place, committed: Promise<void>): Promise<void> {
    this.release(place);
    const key = keyOf(place);
    let release = () => {};
    const goneOn = new Promise<void>((resolve) => (release = resolve));
    this.#held.set(key, release);
    await Promise.race([committed, goneOn]).finally(() => {
      if (this.#held.get(key) === release) this.#held.delete(key);
    });
  }

  release(place: Place): void {
    this.#held.get(keyOf(place))?.();
  }
}

const keyOf = ({ thread_id, checkpoint_ns }: Place): string => `${thread_id} ${checkpoint_ns}`;
