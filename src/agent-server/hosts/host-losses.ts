import { LRUCache } from 'lru-cache';

// The first loss may be an accident, or a neighbour's doing.
const SHARED_LOSSES = 2;
const MOST_RUNS = 10_000;

/**
 * Counts how often runs have lost their host. A host takes all of its runs with it: one that was lost twice goes on in
 * a host of its own, so that what it does there harms and counts for no other.
 */
export class HostLosses {
  readonly #losses = new LRUCache<string, number>({ max: MOST_RUNS });

  note(runId: string): void {
    this.#losses.set(runId, (this.#losses.get(runId) ?? 0) + 1);
  }

  forget(runId: string): void {
    this.#losses.delete(runId);
  }

  needsOwnHost(runId: string): boolean {
    return (this.#losses.get(runId) ?? 0) >= SHARED_LOSSES;
  }
}
