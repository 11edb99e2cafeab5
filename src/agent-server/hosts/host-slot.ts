import { setTimeout as sleep } from 'node:timers/promises';
import type { Description } from '../../graph-protocol/messages.ts';
import { GraphHost, type GraphHostOptions } from './graph-host.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
// A host that has lived this long failed for a reason of its own.
const SETTLED_MS = 30_000;

/** A place that always holds a host: one that ends is replaced, later each time when it ends soon. */
export class HostSlot {
  readonly #options: GraphHostOptions;
  #host: GraphHost | undefined;
  #stopped = false;
  readonly #replaced: () => void;

  /** `replaced` is called each time a host is ready. */
  constructor(options: GraphHostOptions, replaced: () => void) {
    this.#options = options;
    this.#replaced = replaced;
  }

  /** The host, where it is ready. */
  get host(): GraphHost | undefined {
    return this.#host;
  }

  /** Starts the first host. Throws what its project is not served for, and ProjectCrashed. */
  async start(): Promise<Description> {
    const { host, description } = await GraphHost.start(this.#options);
    this.#hold(host);
    return description;
  }

  /** Starts it without waiting; tries again where that fails. */
  startLater(): void {
    void this.#replace(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#host?.end();
  }

  #hold(host: GraphHost): void {
    const since = performance.now();
    this.#host = host;
    this.#replaced();
    void host.ended.then(async (how) => {
      this.#host = undefined;
      if (this.#stopped) return;
      this.#options.log.error(`a graph host ended (${how}); its runs go on in another`);
      await this.#replace(performance.now() - since < SETTLED_MS ? FIRST_PAUSE_MS : 0);
    });
  }

  async #replace(firstPause: number): Promise<void> {
    for (
      let pause = firstPause;
      !this.#stopped;
      pause = Math.min(Math.max(pause, FIRST_PAUSE_MS) * 2, LONGEST_PAUSE_MS)
    ) {
      await sleep(pause);
      if (this.#stopped) return;
      try {
        const { host } = await GraphHost.start(this.#options);
        if (this.#stopped) await host.end();
        else this.#hold(host);
        return;
      } catch (error) {
        if (!this.#stopped) this.#options.log.error({ err: error }, 'a graph host does not start');
      }
    }
  }
}
