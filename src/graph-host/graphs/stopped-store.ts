/** The engine's queue in front of a store, as every version of it is. */
interface BatchedStore {
  running: boolean;
  store: { batch(operations: unknown[]): Promise<unknown[]> };
  enqueueOperation(operation: unknown): Promise<unknown>;
}

const guarded = new WeakSet<object>();

const isBatched = (store: unknown): store is BatchedStore =>
  typeof store === 'object' &&
  store !== null &&
  typeof (store as BatchedStore).enqueueOperation === 'function' &&
  'running' in store;

const refusal = () => new DOMException('The run was stopped', 'AbortError');

/**
 * Makes each call of a run's stores settle. The engine stops taking from its queue when it gives a run up, and what a
 * node asks then would wait for ever: a stopped run is refused, and what outlives an ended run goes to the store itself.
 */
export class StoreGuard {
  readonly #stop: AbortSignal;
  readonly #waiting = new Set<(reason: unknown) => void>();

  constructor(stop: AbortSignal) {
    this.#stop = stop;
    stop.addEventListener('abort', () => this.#waiting.forEach((refuse) => refuse(refusal())), {
      once: true,
    });
  }

  /** Each loop of the engine, and so each subgraph, has a queue of its own. */
  guard(store: unknown): void {
    if (!isBatched(store) || guarded.has(store)) return;
    guarded.add(store);
    const enqueue = store.enqueueOperation;
    store.enqueueOperation = async (operation) => {
      if (this.#stop.aborted) throw refusal();
      if (!store.running) return (await store.store.batch([operation]))[0];
      return this.#refusable(enqueue.call(store, operation));
    };
  }

  #refusable(work: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      work.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }
}
