import { setTimeout as sleep } from 'node:timers/promises';
import type { Description } from '../../graph-protocol/messages.ts';
import { GraphHost, type GraphHostOptions } from './graph-host.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
// After this long, a failure is unrelated to the start.
const SETTLED_MS = 30_000;

/** Keeps one host running: replaces a host that ends, with increasing delays if it ends soon after its start. */
export class HostSlot {
  readonly #options: GraphHostOptions;
  #host: GraphHost | undefined;
  #stopped = false;
  readonly #replaced: () => void;

  /** Calls `replaced` whenever a host becomes ready. */
  constructor(options: GraphHostOptions, replaced: () => void) {
    this.#options = options;
    this.#replaced = replaced;
  }

  /** The host, if it is ready. */
  get host(): GraphHost | undefined {
    return this.#host;
  }

  /** Starts the first host. Throws why its project can't be served, and ProjectCrashed. */
  async start(): Promise<Description> {
    const { host, description } = await GraphHost.start(this.#options);
    this.#hold(host);
    return description;
  }

  /** Starts the host in the background; retries until it succeeds. */
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
      this.#options.log.error(`a graph host ended (${how}); its runs continue in another`);
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
        if (!this.#stopped) this.#options.log.error({ err: error }, 'could not start a graph host');
      }
    }
  }
}
