import { AsyncLocalStorage } from 'node:async_hooks';
import type { GraphInstance } from './graph-instance.ts';
import { StoreGuard } from './stopped-store.ts';

const current = new AsyncLocalStorage<NodeTracker>();
const tracked = new WeakSet<object>();

interface NodeBody {
  func?: (...args: unknown[]) => unknown;
  /** Steps of a sequence. */
  steps?: object[];
  lg_is_pregel?: boolean;
  nodes?: Record<string, object>;
}

/**
 * Tracks which node bodies still execute. On abort the engine stops waiting at once, but a node's code continues
 * until it checks its signal; only then has the run really stopped.
 */
export class NodeTracker {
  readonly #executing = new Set<Promise<unknown>>();
  #stores: StoreGuard | undefined;

  /** Tracks the nodes that `work` starts until `stop` aborts. */
  run<T>(work: () => T, stop?: AbortSignal): T {
    this.#stores = stop && new StoreGuard(stop);
    return current.run(this, work);
  }

  /** Called before a node begins. */
  begin(config: unknown): void {
    this.#stores?.guard((config as { store?: unknown } | undefined)?.store);
  }

  /** Settles when no node executes; false after `limitMs`. */
  async idle(limitMs: number): Promise<boolean> {
    if (this.#executing.size === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, limitMs, false)));
    const left = this.#drained().then(() => true as const);
    return Promise.race([left, late]).finally(() => clearTimeout(timer));
  }

  async #drained(): Promise<void> {
    while (this.#executing.size > 0) await Promise.allSettled(this.#executing);
  }

  add(execution: Promise<unknown>): void {
    this.#executing.add(execution);
    const remove = () => this.#executing.delete(execution);
    execution.then(remove, remove);
  }
}

/** Makes the graph's nodes, including subgraphs, report to their tracker. Applied once per graph. */
export function trackNodes(graph: Pick<GraphInstance, 'nodes'>): void {
  if (tracked.has(graph.nodes)) return;
  tracked.add(graph.nodes);
  for (const node of Object.values(graph.nodes)) trackBody((node as { bound?: object }).bound);
}

function trackBody(body: (object & NodeBody) | undefined): void {
  if (!body || tracked.has(body)) return;
  tracked.add(body);
  if (body.lg_is_pregel && body.nodes) trackNodes(body as Pick<GraphInstance, 'nodes'>);
  for (const step of body.steps ?? []) trackBody(step);
  const { func } = body;
  if (typeof func !== 'function') return;
  body.func = function trackedNode(this: unknown, ...args: unknown[]): unknown {
    const tracker = current.getStore();
    tracker?.begin(args[1]);
    const result: unknown = func.apply(this, args);
    if (result instanceof Promise) tracker?.add(result);
    return result;
  };
}
