import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Channel } from '../../graph-protocol/channel.ts';
import type { Description, LoadRequest } from '../../graph-protocol/messages.ts';
import type { CallOptions } from '../../graph-protocol/open-call.ts';
import { ConnectionLost } from '../../graph-protocol/remote-error.ts';
import type { LaunchedHost } from './host-launcher.ts';
import { describeToHost, hostRequests, type HostServices } from './host-requests.ts';
import { ProjectCrashed } from './project-crashed.ts';
import { Scope, type ScopeOptions } from './scopes.ts';

export interface HostCallOptions extends CallOptions, ScopeOptions {}

export interface GraphHostOptions {
  /** Throws ProjectCrashed. */
  launch: () => Promise<LaunchedHost>;
  project: LoadRequest;
  services: () => HostServices;
  /** Silence after which a host that owes an answer is killed, in milliseconds. */
  blockedMs: number;
  log: Logger;
}

const PING_EVERY_MS = 1_000;
const ENDS_WITHIN_MS = 2_000;

/** One process that runs code of the project. */
export class GraphHost {
  /** Settles, with the reason, when it can be called no more. */
  readonly ended: Promise<string>;
  readonly #launched: LaunchedHost;
  readonly #channel: Channel;
  readonly #scopes = new Map<number, Scope>();
  readonly #options: GraphHostOptions;
  #watching = false;

  private constructor(options: GraphHostOptions, launched: LaunchedHost) {
    this.#options = options;
    this.#launched = launched;
    this.#channel = new Channel(this.#launched.socket, {
      handlers: hostRequests(this.#scopes, options.services),
      describeError: describeToHost,
    });
    this.ended = this.#channel.closed.then(async () => {
      // It exits when the connection does, or it hangs.
      const isGone = await Promise.race([
        this.#launched.ended.then(() => true),
        sleep(ENDS_WITHIN_MS, false),
      ]);
      if (!isGone) this.#launched.kill();
      return this.#launched.ended;
    });
  }

  /** Starts a process that loads the project. Throws InvalidProject as a RemoteError, or ProjectCrashed. */
  static async start(options: GraphHostOptions): Promise<{ host: GraphHost; description: Description }> {
    const host = new GraphHost(options, await options.launch());
    try {
      return { host, description: await host.call<Description>('load', options.project) };
    } catch (error) {
      const how = await host.end();
      throw error instanceof ConnectionLost ? new ProjectCrashed(how) : error;
    }
  }

  /** Calls under way. */
  get load(): number {
    return this.#scopes.size;
  }

  /** Throws RemoteError: what the host answered, or ConnectionLost; and what went wrong on our side of the call. */
  async call<Result>(method: string, params: object, options: HostCallOptions = {}): Promise<Result> {
    const scope = new Scope(options);
    const { id, answer } = this.#channel.open<Result>(method, params, options);
    this.#scopes.set(id, scope);
    // Importing an engine takes a loop for seconds.
    if (method !== 'load') void this.#watch();
    try {
      return await answer;
    } catch (error) {
      throw scope.failure ?? error;
    } finally {
      this.#scopes.delete(id);
    }
  }

  /** Ends the process, and says how it ended; what it was asked fails with ConnectionLost. */
  async end(): Promise<string> {
    this.#channel.close(new Error('the server is stopping'));
    return this.ended;
  }

  /** Kills the process when it owes an answer and does not even say that it is there. */
  async #watch(): Promise<void> {
    if (this.#watching) return;
    this.#watching = true;
    const { blockedMs, log } = this.#options;
    while (this.#scopes.size > 0) {
      const pong = this.#channel.call('ping').then(
        () => true,
        () => true,
      );
      if (!(await Promise.race([pong, sleep(blockedMs, false, { ref: false })]))) {
        log.error(`a graph host did not answer for ${blockedMs / 1000} s: it is replaced`);
        this.#launched.kill();
      }
      await sleep(PING_EVERY_MS, undefined, { ref: false });
    }
    this.#watching = false;
  }
}
