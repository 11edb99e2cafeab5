import type { Place } from '../../graph-protocol/checkpoint-record.ts';

/**
 * Batches commits. The engine calls a graph's next put only when the previous one has settled, while the graph itself
 * continues; waiting for each commit would cost every superstep a round trip. So a put settles as soon as its graph
 * moves on, and only the last waits for its commit, which implies all earlier ones, as they commit in order. Only for
 * fenced runs, where a failed write fails all later ones.
 */
export class PutPace {
  readonly #held = new Map<string, () => void>();

  /** Settles with `committed`, or earlier if the same graph makes another put. */
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
