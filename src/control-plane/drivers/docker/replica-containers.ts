import type Docker from 'dockerode';
import type { Container, ContainerInspectInfo } from 'dockerode';
import type { Queryable } from '../../../platform/db/database.ts';
import { StartFailed } from '../../errors.ts';
import type { InstanceKey } from '../instance-repository.ts';
import { keepRest, type Source } from './container-output.ts';
import { unlessGone, unlessMissing } from './docker-engine.ts';
import { LABEL, replicaNames, type ReplicaNames } from './replica-names.ts';

const EXECUTABLE_MISSING = /executable file not found|no such file or directory|unknown user/;

/** The containers of a replica that exist. */
export interface Seen {
  main?: ContainerInspectInfo | undefined;
  host?: ContainerInspectInfo | undefined;
  network?: ContainerInspectInfo | undefined;
}

const runs = (container: ContainerInspectInfo | undefined): boolean => container?.State.Running ?? false;

const hasHost = ({ main }: Seen): boolean => main?.Config.Labels[LABEL.part] === 'server';

export const isWhole = (seen: Seen): boolean =>
  runs(seen.main) && runs(seen.network) && (!hasHost(seen) || runs(seen.host));

/** Whether the server runs and only its graph hosts are gone. */
export const lacksHost = (seen: Seen): boolean =>
  runs(seen.main) && runs(seen.network) && hasHost(seen) && !runs(seen.host);

/** The containers of one replica. */
export class ReplicaContainers {
  readonly names: ReplicaNames;
  readonly #docker: Docker;
  readonly #key: InstanceKey;

  constructor(docker: Docker, key: InstanceKey) {
    this.#docker = docker;
    this.#key = key;
    this.names = replicaNames(key);
  }

  /** A container that runs code, and so prints. */
  source(cursor: Source['cursor']): Source {
    return { cursor, container: this.#docker.getContainer(this.names[cursor]) };
  }

  get sources(): Source[] {
    return [this.source('main'), this.source('host')];
  }

  async look(): Promise<Seen> {
    const [main, host, network] = await Promise.all(
      ([this.names.main, this.names.host, this.names.network] as const).map((name) =>
        unlessMissing(this.#docker.getContainer(name).inspect()),
      ),
    );
    return { main, host, network };
  }

  /** Kills and removes everything, and keeps what it printed. */
  async clear(tx: Queryable): Promise<void> {
    const network = this.#docker.getContainer(this.names.network);
    await Promise.all([...this.sources.map(({ container }) => container), network].map(end));
    for (const source of this.sources) await this.#remove(tx, source);
    await unlessGone(network.remove({ force: true, v: true }));
    await unlessMissing(this.#docker.getVolume(this.names.socket).remove());
  }

  /** The same for the graph hosts alone. */
  async clearHost(tx: Queryable): Promise<void> {
    const source = this.source('host');
    await end(source.container);
    await this.#remove(tx, source);
  }

  async #remove(tx: Queryable, source: Source): Promise<void> {
    if (!(await unlessMissing(source.container.inspect()))) return;
    await keepRest(tx, this.#key, source);
    await unlessGone(source.container.remove({ force: true, v: true }));
  }
}

async function end(container: Container): Promise<void> {
  await unlessGone(container.kill());
  await unlessMissing(container.wait());
}

/** Throws StartFailed if the image has no such program or user. */
export async function startContainer(container: Container): Promise<void> {
  await container.start().catch((error: Error) => {
    if (EXECUTABLE_MISSING.test(error.message)) throw new StartFailed(error.message);
    throw error;
  });
}
