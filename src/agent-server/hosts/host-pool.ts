import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import type { Description } from '../../graph-protocol/messages.ts';
import { ConnectionLost, RemoteError } from '../../graph-protocol/remote-error.ts';
import { Unavailable } from '../../platform/errors.ts';
import { asRefusal } from '../refusal.ts';
import { GraphHost, type GraphHostOptions, type HostCallOptions } from './graph-host.ts';
import { HostSlot } from './host-slot.ts';
import { ProjectCrashed } from './project-crashed.ts';

// Calls with side effects: the lost host may already have executed them.
const NOT_REPEATED = new Set(['run', 'http', 'state.update', 'store.batch']);
const MOST_TRIES = 3;
const READY_WITHIN_MS = 30_000;

/** The host was lost during the call: it was killed, ran out of memory or did not answer. */
export class HostLost extends Unavailable {
  constructor() {
    super('The process that runs the graph was lost; try again');
  }
}

/** The hosts of one language. Calls go to the least loaded one. */
export class HostPool {
  readonly #slots: HostSlot[];
  #waiting: (() => void)[] = [];
  #stopped = false;
  readonly #options: GraphHostOptions;
  /** Runs exclusive calls one at a time, as each starts another process. */
  #alone: Promise<unknown> = Promise.resolve();

  constructor(options: GraphHostOptions, count: number) {
    this.#options = options;
    this.#slots = Array.from(
      { length: count },
      () => new HostSlot(options, () => this.#waiting.splice(0).forEach((ready) => ready())),
    );
  }

  /** Loads the project in the first host, then starts the others. Throws InvalidProject and ProjectCrashed. */
  async start(): Promise<Description> {
    const [first, ...others] = this.#slots;
    try {
      const description = await first!.start();
      for (const other of others) other.startLater();
      return description;
    } catch (error) {
      throw error instanceof RemoteError ? new InvalidProject(error.message) : error;
    }
  }

  /**
   * Calls a host. Throws HostLost, ProjectRefusal if a handler of the project refuses, or RemoteError if its code
   * throws.
   */
  async call<Result>(method: string, params: object = {}, options: HostCallOptions = {}): Promise<Result> {
    const tries = NOT_REPEATED.has(method) ? 1 : MOST_TRIES;
    for (let left = tries - 1; ; left--) {
      const host = await this.#ready();
      try {
        return await host.call<Result>(method, params, options);
      } catch (error) {
        if (error instanceof ConnectionLost && left > 0 && !this.#stopped) continue;
        throw publicError(method, error);
      }
    }
  }

  /** Calls a host started for this call alone. Throws what `call` throws. */
  callAlone<Result>(method: string, params: object, options: HostCallOptions): Promise<Result> {
    const answer = this.#alone.then(() => this.#callOwn<Result>(method, params, options));
    this.#alone = answer.catch(() => {});
    return answer;
  }

  /** Calls all hosts that are ready. */
  async broadcast(method: string, params: object): Promise<void> {
    await Promise.allSettled(this.#slots.flatMap(({ host }) => host?.call(method, params) ?? []));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#slots.map((slot) => slot.stop()));
  }

  async #callOwn<Result>(method: string, params: object, options: HostCallOptions): Promise<Result> {
    let host: GraphHost | undefined;
    try {
      ({ host } = await GraphHost.start(this.#options));
      return await host.call<Result>(method, params, options);
    } catch (error) {
      throw publicError(method, error);
    } finally {
      await host?.end();
    }
  }

  async #ready(): Promise<GraphHost> {
    const deadline = performance.now() + READY_WITHIN_MS;
    for (;;) {
      const ready = this.#slots.flatMap(({ host }) => host ?? []);
      if (ready.length > 0) return ready.reduce((least, host) => (host.load < least.load ? host : least));
      if (this.#stopped || performance.now() > deadline) throw new HostLost();
      await Promise.race([
        new Promise<void>((resolve) => this.#waiting.push(resolve)),
        new Promise<void>((resolve) => setTimeout(resolve, 1_000).unref()),
      ]);
    }
  }
}

/** Only errors from the project's handlers may set a status; a `status` on an error from a graph is ignored. */
function publicError(method: string, error: unknown): unknown {
  if (error instanceof ConnectionLost || error instanceof ProjectCrashed) return new HostLost();
  return method === 'run' ? error : (asRefusal(error) ?? error);
}
