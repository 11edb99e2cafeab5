import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connectTo } from '../../../graph-protocol/address.ts';
import { Channel } from '../../../graph-protocol/channel.ts';
import type { Exchange } from '../../../graph-protocol/exchange.ts';
import type { Language } from '../../../graph-protocol/language.ts';
import type { ContainerProject } from '../../../graph-protocol/messages.ts';
import { RemoteError } from '../../../graph-protocol/remote-error.ts';
import { closeWhenSilent } from '../../../graph-protocol/silence.ts';
import type { HostCommand } from '../host-command.ts';
import { runHost } from './connecting-host.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
// Of several servers behind one name, another may be free.
const TAKEN_PAUSE_MS = 300;
const SETTLED_MS = 10_000;
const GREETED_WITHIN_MS = 15_000;

export interface HostContainerOptions {
  /** The server's address: `unix:/path` or `tcp:name:port`. */
  address: string;
  token: string;
  project: ContainerProject;
  command: (language: Language) => HostCommand;
  log: Logger;
}

interface StartRequest {
  language: Language;
  /** Token the process presents when it connects. */
  token: string;
  /** Address of the server that called, as several may share one name. */
  address?: string;
}

/** Starts graph hosts for a server in another container, and ends them when their connection does. */
export class HostContainer {
  readonly #options: HostContainerOptions;
  /** To the server that has accepted this container. */
  #connection: Channel | undefined;
  #greeting: Channel | undefined;
  readonly #stopping = new AbortController();

  constructor(options: HostContainerOptions) {
    this.#options = options;
  }

  /** Whether a server has accepted this container. */
  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Reconnects whenever the connection ends; returns once stopped. */
  async run(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#stopping;
    let pause = FIRST_PAUSE_MS;
    let logged = '';
    while (!signal.aborted) {
      const since = performance.now();
      let isTaken = false;
      try {
        await this.#serve(() => {
          log.info('connected to the agent server');
          logged = '';
        });
        log.warn('lost the agent server; reconnecting');
      } catch (error) {
        const { message } = error as Error;
        isTaken = error instanceof RemoteError && error.name === 'Taken';
        if (message !== logged) log.warn(`the agent server refused this container (${message}); retrying`);
        logged = message;
      }
      // A server that refuses the project closes the connection at once.
      if (performance.now() - since > SETTLED_MS) pause = FIRST_PAUSE_MS;
      // Jitter, because containers start together.
      const wait = (isTaken ? TAKEN_PAUSE_MS : pause) * (0.5 + Math.random());
      await sleep(wait, undefined, { signal }).catch(() => {});
      if (!isTaken) pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Stops once the server is gone or has another container: until then it may need its hosts for runs that finish. */
  stop(): void {
    this.#stopping.abort();
    void this.#connection?.call('leaving').catch(() => {});
    this.#greeting?.close();
  }

  async #serve(connected: () => void): Promise<void> {
    const { address, token, project, command } = this.#options;
    const start = ({ language, token, address: asked }: StartRequest, exchange: Exchange) =>
      runHost(command(language), { address: asked ?? address, token }, exchange);
    const channel = new Channel(connectTo(address), {
      handlers: { project: () => project, start, ping: () => null },
      describeError: (error) => ({ error: 'Error', message: (error as Error).message }),
    });
    const late = sleep(GREETED_WITHIN_MS, undefined, { ref: false }).then(() => {
      throw new Error('no response');
    });
    this.#greeting = channel;
    try {
      await Promise.race([channel.call('hello', { token }), late]);
    } catch (error) {
      channel.close();
      throw error;
    } finally {
      this.#greeting = undefined;
    }
    connected();
    this.#connection = channel;
    if (this.#stopping.signal.aborted) channel.close();
    void closeWhenSilent(channel);
    await channel.closed;
    this.#connection = undefined;
  }
}
