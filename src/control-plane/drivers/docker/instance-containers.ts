import type Docker from 'dockerode';
import type { Container, ContainerInspectInfo } from 'dockerode';
import { inTransaction, type Queryable } from '../../../platform/db/database.ts';
import { artifactFolder } from '../../builds/build-folders.ts';
import { StartFailed } from '../../errors.ts';
import { ensureGatewayToken } from '../../gateway/gateway-token.ts';
import { recordArtifact } from '../../revisions/revision-repository.ts';
import type { RevisionRow } from '../../revisions/revision.ts';
import type { Secret } from '../../secrets/environment.ts';
import { isBuilt } from '../../vocabulary.ts';
import { ensureAgentDatabase } from '../agent-database.ts';
import { agentEnvironment } from '../agent-environment.ts';
import { tracingEnvironment } from '../tracing-environment.ts';
import { graceSecondsOf, memoryOf } from '../agent-limits.ts';
import { agentPort, loopbackUrl } from '../agent-port.ts';
import { projectOf } from '../agent-project.ts';
import type { DriverOptions } from '../driver-options.ts';
import { type Ending, endingOf, endingText, READ_LINES } from '../ending.ts';
import {
  deleteInstance,
  findInstance,
  type InstanceKey,
  type InstanceRow,
  noteStarted,
} from '../instance-repository.ts';
import type { InstanceRuntime } from '../instance-runtime.ts';
import { UsageMeter } from '../usage-meter.ts';
import { imageToPull } from '../../registry/pushed-image.ts';
import { pinImage } from './container-image.ts';
import { usedByContainer } from './container-usage.ts';
import { keepOutput, keepRest, lastLines } from './container-output.ts';
import { type ContainerPlan, containerName, containerSpec, HOST_NETWORK, LABEL } from './container-spec.ts';
import { platformLabel, PORT, WORK_DIR } from './container-spec.ts';
import { unlessGone, unlessMissing } from './docker-engine.ts';
import { refuseLoopback } from './reachable.ts';

// What fetches an image is good for so long.
const PULL_SECONDS = 3_600;
const EXECUTABLE_MISSING = /executable file not found|no such file or directory|unknown user/;

/** Containers of one engine. They are found by their names; whoever reaches the engine looks after the same. */
export class InstanceContainers implements InstanceRuntime {
  readonly name = 'docker';
  readonly #options: DriverOptions;
  readonly #docker: Docker;
  readonly #platform: string;
  readonly #usage: UsageMeter;

  constructor(options: DriverOptions, docker: Docker) {
    this.#options = options;
    this.#docker = docker;
    this.#platform = platformLabel(options.config, options.databaseUrl);
    this.#usage = new UsageMeter(options, (instance) => usedByContainer(this.#container(instance)));
  }

  async newAddress(key: InstanceKey): Promise<{ url: string; port: number | null }> {
    return this.#addressOf({ ...key, port: null });
  }

  async isAlive(instance: InstanceKey): Promise<boolean> {
    return (await this.#inspect(instance))?.State.Running ?? false;
  }

  async launch(
    revision: RevisionRow,
    replica: number,
    environment: Secret[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { db } = this.#options;
    const key = { revision_id: revision.id, replica };
    const plan = await this.#planOf(revision, environment, signal);
    await inTransaction(db, async (tx) => {
      const instance = await findInstance(tx, key, { lock: true });
      if (!instance || instance.state === 'stopping') throw new StartFailed('it was stopped');
      // A container that this row never had is of one that is gone, and need not answer where this one is expected.
      if (instance.identity && (await this.isAlive(instance))) return;
      await this.#clear(tx, instance);
      const { url, port } = await this.#addressOf(instance);
      const container = await this.#docker.createContainer(
        containerSpec({
          ...plan,
          revision,
          key,
          platform: this.#platform,
          port,
          config: this.#options.config,
        }),
      );
      await noteStarted(tx, key, { identity: container.id, port, url });
      await container.start().catch((error: Error) => {
        if (EXECUTABLE_MISSING.test(error.message)) throw new StartFailed(error.message);
        throw error;
      });
    });
  }

  async finish(instance: InstanceRow): Promise<void> {
    await unlessGone(this.#container(instance).kill({ signal: 'SIGTERM' }));
  }

  async ending(revision: RevisionRow, replica: number): Promise<Ending & { text: string }> {
    const key = { revision_id: revision.id, replica };
    const found = await this.#inspect(key);
    const ending = endingOf({
      code: found && !found.State.Running ? found.State.ExitCode : undefined,
      ranOut: found?.State.OOMKilled ?? false,
      megabytes: memoryOf(revision, this.#options.config),
      output: (await unlessGone(lastLines(this.#container(key), READ_LINES))) ?? [],
    });
    return { ...ending, text: endingText(ending, hiddenIn(this.#options.dataDir, revision)) };
  }

  async keepOutput(key: InstanceKey): Promise<number> {
    return (await unlessGone(keepOutput(this.#options.db, key, this.#container(key)))) ?? 0;
  }

  async remove(key: InstanceKey): Promise<void> {
    await inTransaction(this.#options.db, async (tx) => {
      const instance = await findInstance(tx, key, { lock: true });
      if (!instance) return;
      await this.#clear(tx, instance);
      await deleteInstance(tx, key);
    });
  }

  measure(): Promise<void> {
    return this.#usage.measure();
  }

  /** A container without a row is one whose host was given up, or whose deployment is gone. */
  async sweep(): Promise<number> {
    const filters = { label: [`${LABEL.platform}=${this.#platform}`] };
    let removed = 0;
    for (const { Id, Labels } of await this.#docker.listContainers({ all: true, filters })) {
      const key = { revision_id: Labels[LABEL.revision]!, replica: Number(Labels[LABEL.replica]) };
      if (await findInstance(this.#options.db, key)) continue;
      await unlessGone(this.#docker.getContainer(Id).remove({ force: true, v: true }));
      removed++;
    }
    return removed;
  }

  #container(key: InstanceKey): Container {
    return this.#docker.getContainer(containerName(key));
  }

  #inspect(key: InstanceKey): Promise<ContainerInspectInfo | undefined> {
    return unlessMissing(this.#container(key).inspect());
  }

  async #addressOf(
    instance: InstanceKey & { port: number | null },
  ): Promise<{ url: string; port: number | null }> {
    if (this.#options.config.SLIPWAY_DOCKER_NETWORK !== HOST_NETWORK)
      return { url: `http://${containerName(instance)}:${PORT}`, port: null };
    const port = await agentPort(instance.port);
    return { url: loopbackUrl(port), port };
  }

  async #planOf(
    revision: RevisionRow,
    environment: Secret[],
    signal?: AbortSignal,
  ): Promise<Pick<ContainerPlan, 'image' | 'project' | 'environment'>> {
    const { config, dataDir, temporal } = this.#options;
    const project = isBuilt(revision.source) ? projectOf(dataDir, revision) : undefined;
    const image = project ? config.SLIPWAY_DOCKER_BASE_IMAGE : await this.#imageOf(revision, signal);
    const databaseUrl = await ensureAgentDatabase(this.#options, revision);
    if (config.SLIPWAY_DOCKER_NETWORK !== HOST_NETWORK) refuseLoopback(databaseUrl, temporal.address);
    const gatewayToken = await ensureGatewayToken(this.#options, revision.id);
    const tracing = await tracingEnvironment(this.#options, revision.deployment_id, environment);
    const workDir = WORK_DIR;
    const graceSeconds = graceSecondsOf(config);
    const answerSeconds = config.SLIPWAY_ANSWER_SECONDS;
    const privateAddresses = config.SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES;
    const told = { revision, environment, databaseUrl, temporal, workDir, gatewayToken, tracing };
    return {
      image,
      project,
      environment: agentEnvironment({ ...told, graceSeconds, answerSeconds, privateAddresses }),
    };
  }

  /** The image a revision is, the same whenever it is started again. */
  async #imageOf(revision: RevisionRow, signal?: AbortSignal): Promise<string> {
    const { id, artifact, source_revision_config } = revision;
    const { image_uri } = source_revision_config;
    const uri = artifact ?? image_uri;
    if (typeof uri !== 'string') throw new StartFailed('it names no image');
    const { image, credential } = await imageToPull(this.#options, { ...revision, image: uri }, PULL_SECONDS);
    const pinned = await pinImage(this.#docker, image, credential, signal);
    if (pinned !== artifact) await recordArtifact(this.#options.db, id, { artifact: pinned });
    return pinned;
  }

  async #clear(tx: Queryable, instance: InstanceRow): Promise<void> {
    const container = this.#container(instance);
    if (!(await this.#inspect(instance))) return;
    await unlessGone(container.kill());
    await unlessGone(container.wait());
    await keepRest(tx, instance, container);
    await unlessGone(container.remove({ force: true, v: true }));
  }
}

const hiddenIn = (dataDir: string, { source, artifact }: RevisionRow): string[] =>
  artifact && isBuilt(source) ? [artifactFolder(dataDir, artifact)] : [];
