import { setTimeout as sleep } from 'node:timers/promises';

interface Probe {
  at: number;
  status: number | string;
  revision: string | null;
}

const EVERY_MS = 200;

/** Requests a URL repeatedly throughout the test. */
export class Prober {
  readonly probes: Probe[] = [];
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;

  constructor(url: string) {
    this.#ended = this.#ask(url);
  }

  get failures(): Probe[] {
    return this.probes.filter(({ status }) => status !== 200);
  }

  /** Who has responded since then. */
  answeredSince(at: number): Set<string | null> {
    return new Set(this.probes.filter((probe) => probe.at >= at).map(({ revision }) => revision));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #ask(url: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const at = Date.now();
      try {
        const answer = await fetch(`${url}/ok`);
        await answer.text();
        this.probes.push({ at, status: answer.status, revision: answer.headers.get('x-slipway-revision') });
      } catch (error) {
        const { cause, message } = error as Error & { cause?: Error };
        this.probes.push({ at, status: cause?.message ?? message, revision: null });
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }
}
