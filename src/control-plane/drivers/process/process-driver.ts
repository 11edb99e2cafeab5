import { setTimeout as sleep } from 'node:timers/promises';
import { StartFailed } from '../../errors.ts';
import type { Driver, Instance, StartRequest } from '../driver.ts';
import { dropAgentDatabase } from './agent-database.ts';
import { endWorkflows } from './agent-workflows.ts';
import { endGroup } from './held-process.ts';
import { InstanceProcesses } from './instance-processes.ts';
import {
  claimFarewell,
  deleteInstance,
  findInstance,
  insertInstance,
  type InstanceRow,
  listInstances,
  setInstanceState,
} from './instance-repository.ts';
import { untilHealthy } from './instance-watch.ts';
import { keepOutput } from './output-tail.ts';
import type { ProcessDriverOptions } from './process-driver-options.ts';

const STARTS = 3;
const BETWEEN_STARTS_MS = 1_000;
const POLL_MS = 100;

/** Runs each revision as a process group of its own, which outlives the worker that started it. */
export class ProcessDriver implements Driver {
  readonly #options: ProcessDriverOptions;
  readonly processes: InstanceProcesses;

  constructor(options: ProcessDriverOptions) {
    this.#options = options;
    this.processes = new InstanceProcesses(options);
  }

  async start(request: StartRequest): Promise<Instance> {
    const { revision, signal } = request;
    await this.#admit(request);
    try {
      return await this.#bringUp(request);
    } catch (error) {
      // Whatever else went wrong, the next attempt finds and joins it.
      if (signal.aborted || error instanceof StartFailed) await this.stop(revision.id);
      throw error;
    }
  }

  async drain(
    revisionId: string,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<void> {
    const { db } = this.#options;
    await setInstanceState(db, revisionId, 'draining', ['starting', 'running']);
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
      const instance = await findInstance(db, revisionId);
      if (!instance || instance.is_lost) return;
      if (this.#isHere(instance)) {
        await this.sayFarewell(instance);
        if (!(await this.processes.isAlive(instance))) return;
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  async stop(revisionId: string): Promise<void> {
    const { db } = this.#options;
    await setInstanceState(db, revisionId, 'stopping');
    for (;;) {
      const instance = await findInstance(db, revisionId);
      if (!instance) return;
      if (this.#isHere(instance)) return this.processes.remove(revisionId);
      // Its host is gone, and everything on it.
      if (instance.is_lost) return deleteInstance(db, revisionId);
      await sleep(POLL_MS);
    }
  }

  async erase(deploymentId: string): Promise<void> {
    const { db, client } = this.#options;
    const instances = await listInstances(db, { deployment_id: deploymentId });
    await Promise.all(instances.map(({ revision_id }) => this.stop(revision_id)));
    await endWorkflows(client, deploymentId);
    await dropAgentDatabase(this.#options, deploymentId);
  }

  /** Where a revision answers; undefined when nothing of it runs. */
  async locate(revisionId: string): Promise<Instance | undefined> {
    const instance = await findInstance(this.#options.db, revisionId);
    return instance && { url: this.processes.urlOf(instance) };
  }

  /** Tells the process of a draining instance to finish, once: a second time would end it at once. */
  async sayFarewell({ revision_id, pid, identity }: InstanceRow): Promise<void> {
    if (pid !== null && (await claimFarewell(this.#options.db, revision_id)))
      endGroup({ pid, identity: identity ?? '' });
  }

  #isHere({ host }: InstanceRow): boolean {
    return host === this.#options.host;
  }

  /** The row comes first: whatever is started later, somebody will find it. */
  async #admit({ revision }: StartRequest): Promise<void> {
    const { db, host } = this.#options;
    for (;;) {
      const found = await findInstance(db, revision.id);
      if (found && this.#isHere(found) && (found.state === 'starting' || found.state === 'running')) return;
      // What an earlier start left on another host, or half ended, is not worth more than a new one.
      if (found) await this.stop(revision.id);
      const port = await this.processes.newPort();
      const { id, deployment_id } = revision;
      await insertInstance(db, { revision_id: id, deployment_id, host, port });
    }
  }

  async #bringUp({ revision, environment, log, signal }: StartRequest): Promise<Instance> {
    const { db, config } = this.#options;
    const { output } = this.processes.folderOf(revision.id);
    for (let start = 1; ; start++) {
      signal.throwIfAborted();
      await this.processes.launch(revision, environment);
      const current = async () => (await findInstance(db, revision.id))!;
      const url = this.processes.urlOf(await current());
      const came = await untilHealthy({
        url,
        isAlive: async () => this.processes.isAlive(await current()),
        progress: () => keepOutput(db, revision.id, output),
        patienceMs: config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS * 1000,
        signal,
      });
      if (came === 'healthy') {
        await setInstanceState(db, revision.id, 'running', ['starting']);
        log('The agent is up and answers');
        return { url };
      }
      const ending = await this.processes.ending(revision);
      if (came === 'late') {
        const seconds = config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS;
        throw new StartFailed(
          [`it does not answer, and has shown no progress for ${seconds} s`, ...ending.lines].join('\n'),
        );
      }
      if (ending.isFinal) throw new StartFailed(ending.text);
      if (start === STARTS) throw new StartFailed(`started ${STARTS} times, each time ${ending.text}`);
      log(`The agent ended while it started: ${ending.reason}. It is started again`, 'warn');
      await sleep(start * BETWEEN_STARTS_MS, undefined, { signal });
    }
  }
}
