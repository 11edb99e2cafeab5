import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Language } from '../../../graph-protocol/language.ts';
import type { HostLauncher, LaunchedHost } from '../host-launcher.ts';
import { ProjectCrashed } from '../project-crashed.ts';
import { ContainerConnection, type RemoteProject } from './container-connection.ts';
import { TokenListener } from './token-listener.ts';

const CONNECTS_WITHIN_MS = 60_000;

export interface RemoteLauncherOptions {
  /** `unix:/path` or `tcp:address:port`. */
  address: string;
  token: string;
  log: Logger;
}

/**
 * Graph hosts in another container, where `slipway host` starts them. It accepts one such container at a time, and another
 * once that one is leaving.
 */
export class RemoteLauncher implements HostLauncher {
  readonly #listener = new TokenListener();
  readonly #options: RemoteLauncherOptions;
  #waiting: (() => void)[] = [];
  /** The last to connect, perhaps not accepted yet. */
  #newest: ContainerConnection | undefined;
  #container: ContainerConnection | undefined;
  #project: RemoteProject | undefined;
  #isClosed = false;

  constructor(options: RemoteLauncherOptions) {
    this.#options = options;
  }

  get isReachable(): boolean {
    return this.#container !== undefined;
  }

  /** Listens, then waits for a container whose project can be served. */
  async open(): Promise<RemoteProject> {
    const { address, token, log } = this.#options;
    const take = (socket: Socket) => void this.#serve(socket);
    this.#listener.expect(token, {
      take,
      isTaken: () => this.#newest !== undefined && !this.#newest.isLeaving,
    });
    await this.#listener.listen(address);
    log.info(`waiting for graph hosts at ${address}`);
    await this.#connected();
    return this.#project!;
  }

  /** Starts a process once a container is connected. Throws ProjectCrashed if the process does not connect. */
  async launch(language: Language): Promise<LaunchedHost> {
    const container = await this.#connected();
    const { token, arrived, forget } = this.#listener.expectOne();
    const { ended, kill } = container.start(language, token);
    const late = sleep(CONNECTS_WITHIN_MS, 'it did not connect', { ref: false });
    const failed = Promise.race([ended, late]).then((how) => {
      throw new ProjectCrashed(how);
    });
    try {
      const socket = await Promise.race([arrived, failed]);
      // Its processes may outlive it, beyond our control.
      void container.lost.then(() => socket.destroy());
      return { socket, ended, kill, dir: container.dir };
    } catch (error) {
      kill();
      throw error;
    } finally {
      forget();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#listener.close();
    this.#release();
  }

  async #serve(socket: Socket): Promise<void> {
    const { log } = this.#options;
    const container = new ContainerConnection(socket);
    this.#newest = container;
    try {
      this.#accept(await container.project());
      const before = this.#container;
      this.#container = container;
      before?.close();
      log.info('connected to the container of the graph hosts');
      this.#release();
    } catch (error) {
      log.error({ err: error }, 'refused a container of graph hosts');
      container.close();
    }
    const { message } = await container.lost;
    if (this.#newest === container) this.#newest = undefined;
    if (this.#container !== container) return;
    this.#container = undefined;
    if (!this.#isClosed) log.error(`lost the container of the graph hosts (${message}); waiting for another`);
  }

  /** Runs of one project can't continue in another. The folder may differ between containers. */
  #accept(project: RemoteProject): void {
    if (this.#project && !isDeepStrictEqual(identityOf(project), identityOf(this.#project)))
      throw new Error('its project differs from the one being served; restart the server');
    this.#project = project;
  }

  async #connected(): Promise<ContainerConnection> {
    while (!this.#container) {
      if (this.#isClosed) throw new Error('the server is stopping');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#container;
  }

  #release(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

const identityOf = ({ file, config, assistants }: RemoteProject) => ({
  file: basename(file),
  config,
  assistants,
});
