import pg from 'pg';
import type { Logger } from 'pino';

/** Receives payloads. After a reset, payloads may have been missed. */
export interface Listener {
  onPayload(payload: string): void;
  onReset(): void;
}

export interface Subscription {
  /** Settles when Postgres has confirmed the subscription; no later notification is missed. */
  ready: Promise<void>;
  close(): void;
}

const RETRY_MS = [50, 100, 250, 500, 1_000];

/**
 * Shares one listening connection per process. Reconnects indefinitely and then calls `onReset` of every listener.
 */
export class Notifications {
  readonly #config: pg.ClientConfig;
  readonly #log: Logger;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #confirmed = new Map<string, Promise<void>>();
  #client: pg.Client | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;

  constructor(config: pg.ClientConfig, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  async open(): Promise<void> {
    await this.#connect();
  }

  get channels(): number {
    return this.#listeners.size;
  }

  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  subscribe(channel: string, listener: Listener): Subscription {
    let listeners = this.#listeners.get(channel);
    if (!listeners) this.#listeners.set(channel, (listeners = new Set()));
    listeners.add(listener);
    const ready = this.#listen(channel);
    // The caller may close without awaiting `ready`, so its rejection must not be unhandled.
    ready.catch(() => {});
    return { ready, close: () => this.#unsubscribe(channel, listener) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client?.end().catch(() => {});
  }

  #listen(channel: string): Promise<void> {
    const known = this.#confirmed.get(channel);
    if (known) return known;
    const client = this.#client;
    const confirmed = client
      ? client.query(`listen ${pg.escapeIdentifier(channel)}`).then(() => {})
      : this.#connect().then(() => {});
    this.#confirmed.set(channel, confirmed);
    return confirmed;
  }

  #unsubscribe(channel: string, listener: Listener): void {
    const listeners = this.#listeners.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.#listeners.delete(channel);
    this.#confirmed.delete(channel);
    this.#client?.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => {});
  }

  #connect(): Promise<void> {
    this.#opening ??= this.#retry().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #retry(): Promise<void> {
    for (let attempt = 0; !this.#closed; attempt++) {
      try {
        await this.#attach();
        return;
      } catch (error) {
        if (attempt === 0)
          this.#log.warn({ err: error }, 'listening connection could not be opened; retrying');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]));
      }
    }
  }

  async #attach(): Promise<void> {
    const client = new pg.Client({ ...this.#config, application_name: 'slipway-listen' });
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    // Payloads that arrive before the reset are newer than the missed ones, so they are delivered after it.
    let early: (() => void)[] | undefined = [];
    client.on('notification', ({ channel, payload = '' }) => {
      const tell = () => {
        for (const listener of this.#listeners.get(channel) ?? []) listener.onPayload(payload);
      };
      if (early) early.push(tell);
      else tell();
    });
    await client.connect();
    const channels = [...this.#listeners.keys()];
    for (const channel of channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    this.#client = client;
    // Confirms channels that were added during the loop above.
    for (const channel of this.#listeners.keys()) {
      if (!channels.includes(channel)) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      this.#confirmed.set(channel, Promise.resolve());
    }
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener.onReset();
    for (const tell of early) tell();
    early = undefined;
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
    this.#confirmed.clear();
    client.end().catch(() => {});
    this.#log.warn('listening connection lost; reconnecting');
    void this.#connect();
  }
}
