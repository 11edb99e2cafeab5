import { LRUCache } from 'lru-cache';

// The first loss may be an accident, or caused by another run in the host.
const SHARED_LOSSES = 2;
const MOST_RUNS = 10_000;

/**
 * Counts how often each run has lost its host. A host that dies takes all of its runs with it, so a run that has lost
 * two hosts continues in a host of its own, where it can't harm other runs or add to their counts.
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
