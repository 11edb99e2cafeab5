import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAlive, type ProcessRecord } from '../../../platform/embedded/process-identity.ts';
import { choosePort } from '../../../platform/embedded/ports.ts';
import { inTransaction, type Queryable } from '../../../platform/db/database.ts';
import { artifactFolder, pathInArtifact } from '../../builds/build-folders.ts';
import { StartFailed } from '../../errors.ts';
import type { RevisionRow } from '../../revisions/revision.ts';
import type { Secret } from '../../secrets/environment.ts';
import { ensureAgentDatabase } from './agent-database.ts';
import { agentEnvironment, exportScript } from './agent-environment.ts';
import { type HeldProcess, killGroup, spawnHeld } from './held-process.ts';
import { describeEnding, type Ending, endingText } from './instance-ending.ts';
import { instanceFolder, instanceName, prepareFolder, removeFolder } from './instance-folder.ts';
import {
  deleteInstance,
  findInstance,
  type InstanceKey,
  type InstanceRow,
  noteStarted,
} from './instance-repository.ts';
import { makeMemoryGroup, openMemoryGroup } from './memory-group.ts';
import { keepOutputOf } from './output-tail.ts';
import type { ProcessDriverOptions } from './process-driver-options.ts';
import { findSandbox, type Sandbox, SERVER } from './sandbox.ts';

const LOOPBACK = '127.0.0.1';
// Below what systems hand out to outgoing connections.
const FIRST_PORT = 20_000;
const PORTS = 10_000;
// Of the memory limit; the rest is code, buffers and the native parts.
const HEAP_SHARE = 0.75;
// An agent hands back what it could not finish before the time of its drain is over.
const HAND_BACK_SECONDS = 10;

/** The processes of this host's instances. Whatever one worker has started, any other can join, watch and end. */
export class InstanceProcesses {
  readonly #options: ProcessDriverOptions;
  #sandbox: Promise<Sandbox> | undefined;

  constructor(options: ProcessDriverOptions) {
    this.#options = options;
  }

  urlOf(port: number): string {
    return `http://${LOOPBACK}:${port}`;
  }

  folderOf(key: InstanceKey) {
    return instanceFolder(this.#options.dataDir, key);
  }

  isAlive({ pid, identity }: Pick<InstanceRow, 'pid' | 'identity'>): Promise<boolean> {
    return pid === null ? Promise.resolve(false) : isAlive({ pid, identity: identity ?? '' });
  }

  /** A port nobody listens on. */
  newPort(): Promise<number> {
    return choosePort('an agent', FIRST_PORT + Math.floor(Math.random() * PORTS));
  }

  /**
   * Starts the process of a replica that has an instance, unless it runs. Throws StartFailed when there is nothing to
   * start.
   */
  async launch(revision: RevisionRow, replica: number, environment: Secret[]): Promise<void> {
    const key = { revision_id: revision.id, replica };
    const { db } = this.#options;
    const project = this.#projectOf(revision);
    const databaseUrl = await ensureAgentDatabase(this.#options, revision.deployment_id);
    const sandbox = await (this.#sandbox ??= findSandbox());
    let held: HeldProcess | undefined;
    try {
      await inTransaction(db, async (tx) => {
        const instance = await findInstance(tx, key, { lock: true });
        if (!instance || instance.state === 'stopping') throw new StartFailed('it was stopped');
        if (await this.isAlive(instance)) return;
        await this.#clear(tx, instance);
        const port = await choosePort('an agent', instance.port);
        const { work } = this.folderOf(key);
        const graceSeconds = Math.max(1, this.#options.config.SLIPWAY_DRAIN_SECONDS - HAND_BACK_SECONDS);
        const { temporal } = this.#options;
        const exports = exportScript(
          agentEnvironment({ revision, environment, databaseUrl, temporal, workDir: work, graceSeconds }),
        );
        held = await this.#spawn(revision, key, { ...project, port, exports, sandbox });
        const { pid, identity } = held;
        await noteStarted(tx, key, { pid, identity, port, url: this.urlOf(port) });
      });
    } catch (error) {
      held?.abandon();
      throw error;
    }
    // Nobody runs whom no row knows.
    held?.go();
  }

  async #spawn(
    revision: RevisionRow,
    key: InstanceKey,
    about: { dir: string; config: string; port: number; exports: string; sandbox: Sandbox },
  ): Promise<HeldProcess> {
    const { dir, config, port, exports, sandbox } = about;
    const folder = this.folderOf(key);
    await prepareFolder(folder, sandbox.uid(revision.deployment_id));
    const megabytes = this.memoryOf(revision);
    const group = await makeMemoryGroup(instanceName(key), megabytes);
    const output = await open(folder.output, 'a', 0o600);
    try {
      return await spawnHeld({
        command: [
          process.execPath,
          `--max-old-space-size=${Math.floor(megabytes * HEAP_SHARE)}`,
          SERVER,
          'serve',
          `--config=${config}`,
          `--host=${LOOPBACK}`,
          `--port=${port}`,
        ],
        prefix: sandbox.prefix(revision.deployment_id),
        cwd: dir,
        exports,
        output: output.fd,
        exitFile: folder.exit,
        procs: group?.procs,
      });
    } finally {
      await output.close();
    }
  }

  /** How the process ended that is no more, and that as a text. */
  async ending(revision: RevisionRow, replica: number): Promise<Ending & { text: string }> {
    const key = { revision_id: revision.id, replica };
    const folder = this.folderOf(key);
    const group = await openMemoryGroup(instanceName(key));
    const memory = { megabytes: this.memoryOf(revision), group };
    const ending = await describeEnding(folder, memory);
    const hidden = revision.artifact ? [artifactFolder(this.#options.dataDir, revision.artifact)] : [];
    return { ...ending, text: endingText(ending, [...hidden, folder.dir]) };
  }

  /** Kills what is there, keeps what it said, and forgets it. */
  async remove(key: InstanceKey): Promise<void> {
    await inTransaction(this.#options.db, async (tx) => {
      const instance = await findInstance(tx, key, { lock: true });
      if (!instance) return;
      await this.#clear(tx, instance);
      await removeFolder(this.folderOf(key));
      await deleteInstance(tx, key);
    });
  }

  /** MB of memory each replica of the revision may use. */
  memoryOf({ source_config }: Pick<RevisionRow, 'source_config'>): number {
    const { memory_limit_mb, memory_mb } = (source_config['resource_spec'] ?? {}) as Record<string, unknown>;
    if (typeof memory_limit_mb === 'number') return memory_limit_mb;
    return typeof memory_mb === 'number' ? memory_mb * 2 : this.#options.config.SLIPWAY_AGENT_MEMORY_MB;
  }

  async #clear(tx: Queryable, instance: InstanceRow): Promise<void> {
    const { pid, identity } = instance;
    const group = await openMemoryGroup(instanceName(instance));
    const pids = async () => (await group?.pids()) ?? [];
    if (pid !== null) await killGroup({ pid, identity: identity ?? '' } satisfies ProcessRecord, pids);
    const { output } = this.folderOf(instance);
    for (let kept = instance.log_offset, read = 1; read > 0; kept += read)
      read = await keepOutputOf(tx, { ...instance, log_offset: kept }, output, { toEnd: true });
    await group?.remove();
  }

  #projectOf({ artifact, source_revision_config }: RevisionRow): { dir: string; config: string } {
    if (!artifact) throw new StartFailed('nothing of it was built; images need a container engine');
    const dir = artifactFolder(this.#options.dataDir, artifact);
    if (!existsSync(dir)) throw new StartFailed('what was built of it is not on this host');
    const { graph_config_path } = source_revision_config as { graph_config_path?: string };
    const config = pathInArtifact(dir, graph_config_path);
    if (!config) throw new StartFailed(`${graph_config_path} is outside of the project`);
    return { dir, config };
  }
}
