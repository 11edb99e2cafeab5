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
  /** Milliseconds of silence after which a host with a call in progress is killed. */
  blockedMs: number;
  log: Logger;
}

const PING_EVERY_MS = 1_000;
const ENDS_WITHIN_MS = 2_000;

/** A process that runs the project's code. */
export class GraphHost {
  /** Settles with the reason when the host can no longer be called. */
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
      // A healthy host exits when its connection ends.
      const isGone = await Promise.race([
        this.#launched.ended.then(() => true),
        sleep(ENDS_WITHIN_MS, false),
      ]);
      if (!isGone) this.#launched.kill();
      return this.#launched.ended;
    });
  }

  /** Starts a process and loads the project in it. Throws InvalidProject as a RemoteError, or ProjectCrashed. */
  static async start(options: GraphHostOptions): Promise<{ host: GraphHost; description: Description }> {
    const host = new GraphHost(options, await options.launch());
    try {
      const { dir = options.project.dir } = host.#launched;
      return { host, description: await host.call<Description>('load', { ...options.project, dir }) };
    } catch (error) {
      const how = await host.end();
      throw error instanceof ConnectionLost ? new ProjectCrashed(how) : error;
    }
  }

  /** Number of calls in progress. */
  get load(): number {
    return this.#scopes.size;
  }

  /** Throws RemoteError (the host's error, or ConnectionLost), and errors from the server's side of the call. */
  async call<Result>(method: string, params: object, options: HostCallOptions = {}): Promise<Result> {
    const scope = new Scope(options);
    const { id, answer } = this.#channel.open<Result>(method, params, options);
    this.#scopes.set(id, scope);
    // Importing an engine blocks the event loop for seconds.
    if (method !== 'load') void this.#watch();
    try {
      const result = await answer;
      // A run may answer before its last write is stored.
      if (method === 'run') await scope.written();
      return result;
    } catch (error) {
      throw scope.failure ?? error;
    } finally {
      this.#scopes.delete(id);
    }
  }

  /** Ends the process and returns how it ended. Calls in progress fail with ConnectionLost. */
  async end(): Promise<string> {
    this.#channel.close(new Error('the server is stopping'));
    return this.ended;
  }

  /** Kills the process if a call is in progress and it does not even answer a ping. */
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
        log.error(`a graph host did not respond for ${blockedMs / 1000} s; replacing it`);
        this.#launched.kill();
      }
      await sleep(PING_EVERY_MS, undefined, { ref: false });
    }
    this.#watching = false;
  }
}
