import type { Description } from '../../graph-protocol/messages.ts';
import type { GraphHostOptions, HostCallOptions } from './graph-host.ts';
import type { HostLauncher } from './host-launcher.ts';
import { HostLosses } from './host-losses.ts';
import { HostPool } from './host-pool.ts';
import type { Language } from '../../graph-protocol/language.ts';
import { ProjectLanguages } from './project-languages.ts';

export interface GraphHostsOptions extends Omit<GraphHostOptions, 'launch'> {
  launcher: HostLauncher;
  /** Number of processes per language. */
  count: number;
}

/** The processes that run the project's code: a pool for each of its languages. */
export class GraphHosts {
  readonly losses = new HostLosses();
  readonly #languages: ProjectLanguages;
  readonly #launcher: HostLauncher;
  readonly #pools: ReadonlyMap<Language, HostPool>;

  constructor({ launcher, count, project, ...options }: GraphHostsOptions) {
    const languages = new ProjectLanguages(project.config);
    this.#languages = languages;
    this.#launcher = launcher;
    this.#pools = new Map(
      languages.all.map((language) => [
        language,
        new HostPool(
          {
            ...options,
            launch: () => launcher.launch(language),
            project: languages.partOf(project, language),
          },
          count,
        ),
      ]),
    );
  }

  get areReachable(): boolean {
    return this.#launcher.isReachable;
  }

  /** Loads the project. Throws InvalidProject. */
  async start(): Promise<Description> {
    const outcomes = await Promise.allSettled([...this.#pools.values()].map((pool) => pool.start()));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    const found = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    return found.reduce(join);
  }

  /**
   * Calls a host. Throws HostLost, ProjectRefusal if a handler of the project refuses, or RemoteError if its code
   * throws.
   */
  call<Result>(method: string, params: object = {}, options: HostCallOptions = {}): Promise<Result> {
    return this.#poolOf(method, params).call<Result>(method, params, options);
  }

  /** Like `call`, in a process started for this call alone. */
  callAlone<Result>(method: string, params: object, options: HostCallOptions): Promise<Result> {
    return this.#poolOf(method, params).callAlone<Result>(method, params, options);
  }

  #poolOf(method: string, params: object): HostPool {
    return this.#pools.get(this.#languages.of(method, params))!;
  }

  /** Calls all hosts that are ready. */
  async broadcast(method: string, params: object): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.broadcast(method, params)));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.stop()));
    this.#launcher.close();
  }
}

const join = (one: Description, other: Description): Description => ({
  language: one.language,
  graphs: { ...one.graphs, ...other.graphs },
  auth: one.auth ?? other.auth,
  http: one.http || other.http,
  websockets: one.websockets || other.websockets,
  encryption: one.encryption ?? other.encryption,
  embed: one.embed || other.embed,
  store: one.store || other.store,
  warnings: [...one.warnings, ...other.warnings],
});
