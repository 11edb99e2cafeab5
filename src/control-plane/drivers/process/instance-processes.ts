import { open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../../platform/embedded/process-identity.ts';
import { inTransaction, type Queryable } from '../../../platform/db/database.ts';
import { artifactFolder } from '../../build-folders.ts';
import { StartFailed } from '../../errors.ts';
import { isBuilt } from '../../vocabulary.ts';
import type { RevisionRow } from '../../records/revision.ts';
import type { Secret } from '../../secrets/environment.ts';
import { exportScript } from '../../../platform/export-script.ts';
import { projectVariables, serverEnvironment } from '../agent-environment.ts';
import { type AgentProvision, provide } from '../agent-provision.ts';
import { tracingAddresses } from '../tracing-environment.ts';
import { heapOption, memoryOf, serverMemoryOf } from '../../scaling/agent-limits.ts';
import { agentPort, loopbackUrl } from '../agent-port.ts';
import { projectOf } from '../agent-project.ts';
import { UsageMeter } from '../usage-meter.ts';
import { usedByProcesses } from './resource-usage.ts';
import { endGroup, type HeldProcess, spawnHeld } from './held-process.ts';
import { killInstance, sweepInstances } from './instance-kill.ts';
import { describeEnding } from './instance-ending.ts';
import { instanceFolder, instanceName, noteLeader, prepareFolder, removeFolder } from './instance-folder.ts';
import {
  deleteInstance,
  findInstance,
  type InstanceKey,
  type InstanceRow,
  noteStarted,
  noteSuspended,
} from '../instance-repository.ts';
import type { InstanceRuntime } from '../instance-runtime.ts';
import { type Ending, endingText } from '../ending.ts';
import { LOOPBACK } from '../../../platform/embedded/ports.ts';
import { fenceForAgents } from './agent-fence.ts';
import { hostPrefix as confineHost } from './host-prefix.ts';
import { makeMemoryGroup, type MemoryGroup, openMemoryGroup } from './memory-group.ts';
import { keepOutput, keepOutputOf } from './output-tail.ts';
import type { DriverOptions } from '../driver-options.ts';
import { NEEDS_ENGINE } from '../../deployments/image-check.ts';
import { type AgentFolders, closedAbove, findSandbox, type Sandbox, SERVER } from './sandbox.ts';

const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
const CLOSED =
  'agents cannot enter a parent folder of SLIPWAY_DATA_DIR; `slipway doctor` names it: run chmod o+x on it, or choose another SLIPWAY_DATA_DIR';
const POLL_MS = 50;

interface Confined {
  sandbox: Sandbox;
  group: MemoryGroup | undefined;
}

/** Runs this machine's instances as processes. */
export class InstanceProcesses implements InstanceRuntime {
  readonly name = 'process';
  readonly #options: DriverOptions;
  readonly #usage: UsageMeter;
  #sandbox: Promise<Sandbox> | undefined;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#usage = new UsageMeter(options, usedByProcesses);
  }

  #folderOf(key: InstanceKey) {
    return instanceFolder(this.#options.dataDir, key);
  }

  isAlive({ pid, identity }: Pick<InstanceRow, 'pid' | 'identity'>): Promise<boolean> {
    return pid === null ? Promise.resolve(false) : isAlive({ pid, identity: identity ?? '' });
  }

  async newAddress(): Promise<{ url: string; port: number }> {
    const port = await agentPort();
    return { url: loopbackUrl(port), port };
  }

  async finish({ pid, identity }: InstanceRow): Promise<void> {
    if (pid !== null) endGroup({ pid, identity: identity ?? '' });
  }

  async keepOutput(instance: InstanceKey & { log_offset?: number }): Promise<number> {
    const { output } = this.#folderOf(instance);
    const size = await stat(output).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined || size === instance.log_offset) return 0;
    return keepOutput(this.#options, instance, output);
  }

  async launch(revision: RevisionRow, replica: number, environment: Secret[]): Promise<void> {
    const key = { revision_id: revision.id, replica };
    const { db } = this.#options;
    if (!isBuilt(revision.source)) throw new StartFailed(NEEDS_ENGINE);
    const project = projectOf(this.#options.dataDir, revision);
    const sandbox = await this.#findSandbox();
    if (sandbox.passes && (await closedAbove(resolve(this.#options.dataDir)))) throw new StartFailed(CLOSED);
    const provision = await provide(this.#options, revision, environment);
    let held: HeldProcess | undefined;
    try {
      await inTransaction(db, async (tx) => {
        const instance = await findInstance(tx, key, { lock: true });
        if (!instance || instance.state === 'stopping') throw new StartFailed('the revision was stopped');
        if (await this.isAlive(instance)) return;
        await this.#clear(tx, instance);
        const port = await agentPort(instance.port);
        const group = await makeMemoryGroup(
          instanceName(key),
          serverMemoryOf(revision, this.#options.config),
        );
        const folders = { project: project.dir, work: this.#folderOf(key).work };
        const exports = exportScript(await this.#environment(key, { provision, sandbox, folders, group }));
        held = await this.#spawn(revision, key, { project, port, exports, sandbox, group });
        const { pid, identity } = held;
        await noteLeader(this.#folderOf(key), this.#options.host, held);
        await noteStarted(tx, key, { pid, identity, port, url: loopbackUrl(port) });
      });
    } catch (error) {
      held?.abandon();
      throw error;
    }
    // Released only once its row is committed.
    held?.go();
  }

  #findSandbox(): Promise<Sandbox> {
    return (this.#sandbox ??= findSandbox(this.#options.dataDir));
  }

  /** The server's environment, including that of its graph hosts and the prefix that confines them. */
  async #environment(
    key: InstanceKey,
    about: Confined & { provision: AgentProvision; folders: AgentFolders },
  ): Promise<Record<string, string>> {
    const { provision, sandbox, group, folders } = about;
    const { revision, tracing } = provision;
    const fence = await fenceForAgents(this.#options);
    const hostPrefix = confineHost({
      sandbox,
      fence: await fence.prefix(await tracingAddresses(tracing)),
      group,
      megabytes: memoryOf(revision, this.#options.config),
      deploymentId: revision.deployment_id,
      folders,
    });
    const { project, work } = sandbox.inside(folders);
    return {
      ...serverEnvironment(provision, this.#folderOf(key).server),
      PATH,
      SLIPWAY_HOST_PROJECT: project,
      SLIPWAY_HOST_PREFIX: JSON.stringify(hostPrefix),
      SLIPWAY_PROJECT_ENV: JSON.stringify({ ...projectVariables(provision, work), PATH }),
    };
  }

  async #spawn(
    revision: RevisionRow,
    key: InstanceKey,
    about: Confined & { project: { dir: string; config: string }; port: number; exports: string },
  ): Promise<HeldProcess> {
    const { project, port, exports, sandbox, group } = about;
    const { config, server = SERVER } = this.#options;
    const folder = this.#folderOf(key);
    const uid = sandbox.uid(revision.deployment_id);
    await prepareFolder(folder, { uid, passes: sandbox.passes });
    const output = await open(folder.output, 'a', 0o600);
    try {
      return await spawnHeld({
        command: [
          process.execPath,
          heapOption(memoryOf(revision, config)),
          server,
          'serve',
          `--config=${project.config}`,
          `--host=${LOOPBACK}`,
          `--port=${port}`,
        ],
        cwd: project.dir,
        exports,
        output: output.fd,
        exitFile: folder.exit,
        procs: group?.procs,
      });
    } finally {
      await output.close();
    }
  }

  async ending(revision: RevisionRow, replica: number): Promise<Ending & { text: string }> {
    const key = { revision_id: revision.id, replica };
    const folder = this.#folderOf(key);
    const group = await openMemoryGroup(instanceName(key));
    const memory = { megabytes: memoryOf(revision, this.#options.config), group };
    const ending = await describeEnding(folder, memory);
    const hidden = revision.artifact ? [artifactFolder(this.#options.dataDir, revision.artifact)] : [];
    const sandbox = await this.#findSandbox();
    const { project, work } = sandbox.inside({ project: folder.dir, work: folder.work });
    return { ...ending, text: endingText(ending, [...hidden, folder.dir, project, work]) };
  }

  async remove(key: InstanceKey): Promise<void> {
    await inTransaction(this.#options.db, async (tx) => {
      const instance = await findInstance(tx, key, { lock: true });
      if (!instance) return;
      await this.#clear(tx, instance);
      await removeFolder(this.#folderOf(key));
      await deleteInstance(tx, key);
    });
  }

  measure(): Promise<void> {
    return this.#usage.measure();
  }

  /** Stops the process, gracefully within `graceMs`; keeps its row for the restart. */
  async suspend(instance: InstanceRow, graceMs: number): Promise<void> {
    const { pid, identity } = instance;
    if (pid === null) return;
    if (await this.isAlive(instance)) endGroup({ pid, identity: identity ?? '' });
    const deadline = Date.now() + graceMs;
    while (Date.now() < deadline && (await this.isAlive(instance))) await sleep(POLL_MS);
    await inTransaction(this.#options.db, async (tx) => {
      const now = await findInstance(tx, instance, { lock: true });
      if (!now || now.pid !== pid) return;
      await this.#clear(tx, now);
      await noteSuspended(tx, instance);
    });
  }

  sweep(): Promise<number> {
    return sweepInstances(this.#options);
  }

  async #clear(tx: Queryable, instance: InstanceRow): Promise<void> {
    await killInstance(this.#options, instance);
    // The output there belongs to an earlier row, which was lost.
    if (instance.identity === null && instance.log_offset === 0) return;
    const { output } = this.#folderOf(instance);
    for (let kept = instance.log_offset, read = 1; read > 0; kept += read)
      read = await keepOutputOf(
        { db: tx, box: this.#options.box },
        { ...instance, log_offset: kept },
        output,
        { toEnd: true },
      );
  }
}
