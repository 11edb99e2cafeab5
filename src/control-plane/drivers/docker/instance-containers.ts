import type Docker from 'dockerode';
import { inTransaction, type Queryable } from '../../../platform/db/database.ts';
import { artifactFolder } from '../../build-folders.ts';
import { StartFailed } from '../../errors.ts';
import type { RevisionRow } from '../../records/revision.ts';
import type { Secret } from '../../secrets/environment.ts';
import { isBuilt } from '../../vocabulary.ts';
import { agentPort, loopbackUrl } from '../agent-port.ts';
import type { DriverOptions } from '../driver-options.ts';
import { type Ending, endingText } from '../ending.ts';
import {
  deleteInstance,
  findInstance,
  type InstanceKey,
  type InstanceRow,
  noteHostStarted,
  noteStarted,
} from '../instance-repository.ts';
import type { InstanceRuntime } from '../instance-runtime.ts';
import { UsageMeter } from '../usage-meter.ts';
import { ContainerFence } from './container-fence.ts';
import { keepOutput } from './container-output.ts';
import { HOST_NETWORK, PORT } from './container-spec.ts';
import { usedByContainers } from './container-usage.ts';
import { unlessGone } from './docker-engine.ts';
import { isWhole, lacksHost, ReplicaContainers } from './replica-containers.ts';
import { describeEnding } from './replica-ending.ts';
import { platformLabel, replicaNames } from './replica-names.ts';
import { type Planned, planReplica } from './replica-plan.ts';
import { startHost, startReplica } from './replica-start.ts';
import { sweepEngine } from './sweep-engine.ts';

/** Containers of one engine, found by their names: all workers that reach the engine manage the same ones. */
export class InstanceContainers implements InstanceRuntime {
  readonly name = 'docker';
  readonly #options: DriverOptions;
  readonly #docker: Docker;
  readonly #platform: string;
  readonly #fence: ContainerFence;
  readonly #usage: UsageMeter;

  constructor(options: DriverOptions, docker: Docker) {
    const { config, databaseUrl, temporal } = options;
    this.#options = options;
    this.#docker = docker;
    this.#platform = platformLabel(config, databaseUrl);
    this.#fence = new ContainerFence(docker, config.SLIPWAY_DOCKER_BASE_IMAGE, {
      ...config,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: temporal.address,
    });
    this.#usage = new UsageMeter(options, async (instance) => {
      const { main, host } = await this.#of(instance).look();
      const seen = [main, host].flatMap((one) => (one ? [docker.getContainer(one.Id)] : []));
      return seen.length > 0 ? usedByContainers(seen) : undefined;
    });
  }

  async newAddress(key: InstanceKey): Promise<{ url: string; port: number | null }> {
    return this.#addressOf({ ...key, port: null });
  }

  async isAlive(instance: InstanceKey): Promise<boolean> {
    return isWhole(await this.#of(instance).look());
  }

  async launch(
    revision: RevisionRow,
    replica: number,
    environment: Secret[],
    signal?: AbortSignal,
  ): Promise<void> {
    const key = { revision_id: revision.id, replica };
    const about = { revision, key, platform: this.#platform, environment };
    const planned = await planReplica(this.#options, this.#docker, about, signal);
    await inTransaction(this.#options.db, async (tx) => {
      const instance = await findInstance(tx, key, { lock: true });
      if (!instance || instance.state === 'stopping') throw new StartFailed('the revision was stopped');
      await this.#start(tx, instance, planned, signal);
    });
  }

  async #start(
    tx: Queryable,
    instance: InstanceRow,
    { plan, allow }: Planned,
    signal?: AbortSignal,
  ): Promise<void> {
    const containers = this.#of(instance);
    // Containers that this row never had belong to one that is gone, and may answer at another address.
    const seen = instance.identity ? await containers.look() : {};
    if (isWhole(seen)) return;
    if (lacksHost(seen)) {
      await containers.clearHost(tx);
      await noteHostStarted(tx, instance);
      return startHost(this.#docker, this.#fence, { plan, allow });
    }
    await containers.clear(tx);
    const { url, port } = await this.#addressOf(instance);
    await startReplica(this.#docker, this.#fence, {
      plan,
      port,
      allow,
      note: ({ id }) => noteStarted(tx, instance, { identity: id, port, url }),
      signal,
    });
  }

  async finish(instance: InstanceRow): Promise<void> {
    await unlessGone(this.#of(instance).source('main').container.kill({ signal: 'SIGTERM' }));
  }

  async ending(revision: RevisionRow, replica: number): Promise<Ending & { text: string }> {
    const containers = this.#of({ revision_id: revision.id, replica });
    const ending = await describeEnding(containers, revision, this.#options.config);
    return { ...ending, text: endingText(ending, hiddenIn(this.#options.dataDir, revision)) };
  }

  async keepOutput(key: InstanceKey): Promise<number> {
    let kept = 0;
    for (const source of this.#of(key).sources)
      kept += (await unlessGone(keepOutput(this.#options.db, key, source))) ?? 0;
    return kept;
  }

  async remove(key: InstanceKey): Promise<void> {
    await inTransaction(this.#options.db, async (tx) => {
      const instance = await findInstance(tx, key, { lock: true });
      if (!instance) return;
      await this.#of(key).clear(tx);
      await deleteInstance(tx, key);
    });
  }

  measure(): Promise<void> {
    return this.#usage.measure();
  }

  sweep(): Promise<number> {
    return sweepEngine(this.#options.db, this.#docker, this.#platform);
  }

  #of(key: InstanceKey): ReplicaContainers {
    return new ReplicaContainers(this.#docker, key);
  }

  async #addressOf(
    instance: InstanceKey & { port: number | null },
  ): Promise<{ url: string; port: number | null }> {
    if (this.#options.config.SLIPWAY_DOCKER_NETWORK !== HOST_NETWORK)
      return { url: `http://${replicaNames(instance).main}:${PORT}`, port: null };
    const port = await agentPort(instance.port);
    return { url: loopbackUrl(port), port };
  }
}

const hiddenIn = (dataDir: string, { source, artifact }: RevisionRow): string[] =>
  artifact && isBuilt(source) ? [artifactFolder(dataDir, artifact)] : [];
