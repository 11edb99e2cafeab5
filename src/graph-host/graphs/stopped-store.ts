/** The engine's queue in front of a store, the same in all versions. */
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
 * Makes every call to a run's stores settle. The engine stops serving its queue when a run ends, so later calls from
 * nodes would wait forever. Calls of a stopped run are rejected; calls that outlive an ended run bypass the queue.
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

  /** Each loop of the engine, and so each subgraph, has its own queue. */
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
