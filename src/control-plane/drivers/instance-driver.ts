import { setTimeout as sleep } from 'node:timers/promises';
import { RevisionNotFound, StartFailed } from '../errors.ts';
import { logSink } from '../logs/log-sink.ts';
import { findRevision } from '../records/revision-repository.ts';
import type { RevisionRow } from '../records/revision.ts';
import { openEnvironment } from '../secrets/environment.ts';
import type { Driver, Instance, StartRequest } from './driver.ts';
import type { DriverOptions } from './driver-options.ts';
import { dropAgentDatabase } from './agent-database.ts';
import { endWorkflows } from './agent-workflows.ts';
import { bringUp } from './bring-up.ts';
import {
  claimShutdownRequest,
  deleteInstance,
  findInstance,
  insertInstance,
  type InstanceKey,
  type InstanceRow,
  listInstances,
  setInstanceState,
} from './instance-repository.ts';
import type { InstanceRuntime } from './instance-runtime.ts';
import { drainMsOf } from '../scaling/agent-limits.ts';

const POLL_MS = 100;

/** Runs each replica of a revision in this host's runtime, where it outlives the worker that started it. */
export class InstanceDriver implements Driver {
  readonly #options: DriverOptions;
  readonly runtime: InstanceRuntime;

  constructor(options: DriverOptions, runtime: InstanceRuntime) {
    this.#options = options;
    this.runtime = runtime;
  }

  async start(request: StartRequest): Promise<Instance> {
    const { revision, replicas, signal } = request;
    // Instances that an earlier start left on another host, or half stopped, are replaced.
    const { rest } = await this.#sort(revision.id);
    await Promise.all(rest.map((instance) => this.#end(instance)));
    const instances = await this.#admit(revision, replicas);
    try {
      const [url] = await this.#bringUpAll(request, instances);
      return url === undefined ? (await this.locate(revision.id))! : { url };
    } catch (error) {
      // After other errors the next attempt finds and joins the instances.
      if (signal.aborted || error instanceof StartFailed) await this.stop(revision.id);
      throw error;
    }
  }

  async scale(revisionId: string, replicas: number, { signal }: { signal: AbortSignal }): Promise<void> {
    const { db, config, box } = this.#options;
    const revision = await findRevision(db, revisionId);
    if (!revision) throw new RevisionNotFound(revisionId);
    const before = new Set((await this.#sort(revisionId)).here.map(({ replica }) => replica));
    const wanted = await this.#admit(revision, replicas);
    const timeoutMs = drainMsOf(config);
    const beyond = (await this.#sort(revisionId)).all.slice(replicas);
    const leave = async (instance: InstanceRow) => {
      await this.#drain(instance, { timeoutMs, signal });
      await this.#end(instance);
    };
    const log = logSink(this.#options, revision, 'deploy');
    const environment = openEnvironment(box, revisionId, revision.environment);
    try {
      await Promise.all([
        this.#bringUpAll({ revision, environment, log, signal }, wanted),
        ...beyond.map((instance) => leave(instance)),
      ]);
      // Their replacements are running now.
      await Promise.all((await this.#sort(revisionId)).lost.map((instance) => this.#end(instance)));
    } catch (error) {
      // Keep the replicas that ran before; don't leave others half started.
      const failed = wanted.filter(({ replica }) => !before.has(replica));
      if (error instanceof StartFailed) await Promise.all(failed.map((instance) => this.#end(instance)));
      throw error;
    } finally {
      await log.close();
    }
  }

  async drain(revisionId: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<void> {
    const instances = await listInstances(this.#options.db, { revision_id: revisionId });
    await Promise.all(instances.map((instance) => this.#drain(instance, options)));
  }

  async stop(revisionId: string): Promise<void> {
    const instances = await listInstances(this.#options.db, { revision_id: revisionId });
    await Promise.all(instances.map((instance) => this.#end(instance)));
  }

  async erase(deploymentId: string): Promise<void> {
    const { db, client } = this.#options;
    const instances = await listInstances(db, { deployment_id: deploymentId });
    await Promise.all(instances.map((instance) => this.#end(instance)));
    await endWorkflows(client, deploymentId);
    await dropAgentDatabase(this.#options, deploymentId);
  }

  /** Stops all instances of this host until a supervisor runs on it again. */
  async suspend(graceMs: number): Promise<void> {
    const instances = await listInstances(this.#options.db, { host: this.#options.host });
    await Promise.all(instances.map(async (instance) => this.runtime.suspend?.(instance, graceMs)));
  }

  /** Address of the revision's first replica; undefined if it has none. */
  async locate(revisionId: string): Promise<Instance | undefined> {
    const [instance] = await listInstances(this.#options.db, { revision_id: revisionId });
    return instance && { url: instance.url };
  }

  /** Asks a draining instance to finish, only once: a second signal would end it immediately. */
  async requestShutdown(instance: InstanceRow): Promise<void> {
    if (await claimShutdownRequest(this.#options.db, instance)) await this.runtime.finish(instance);
  }

  #isHere({ host }: InstanceRow): boolean {
    return host === this.#options.host;
  }

  /**
   * Sorts a revision's instances: `all` that are usable, and `here` those of them on this host; `rest` are stopping,
   * starting on another host, or `lost` with their host.
   */
  async #sort(revisionId: string): Promise<Record<'here' | 'all' | 'rest' | 'lost', InstanceRow[]>> {
    const found = await listInstances(this.#options.db, { revision_id: revisionId });
    const isGood = (instance: InstanceRow) =>
      this.#isHere(instance)
        ? instance.state === 'running' || instance.state === 'starting'
        : instance.state === 'running' && !instance.is_lost;
    const all = found.filter((instance) => isGood(instance));
    return {
      all,
      here: all.filter((instance) => this.#isHere(instance)),
      rest: found.filter((instance) => !all.includes(instance)),
      lost: found.filter((instance) => instance.is_lost && !this.#isHere(instance)),
    };
  }

  /**
   * Inserts rows before anything starts, so that every process can be found later. Returns this host's instances among
   * the wanted replicas. Does not reuse the number of a replica that is still draining.
   */
  async #admit(revision: RevisionRow, replicas: number): Promise<InstanceRow[]> {
    const { db, host } = this.#options;
    for (;;) {
      const { all, rest } = await this.#sort(revision.id);
      if (all.length >= replicas) return all.slice(0, replicas).filter((instance) => this.#isHere(instance));
      const taken = new Set([...all, ...rest].map(({ replica }) => replica));
      let replica = 0;
      while (taken.has(replica)) replica++;
      const { id: revision_id, deployment_id } = revision;
      const { url, port } = await this.runtime.newAddress({ revision_id, replica });
      const driver = this.runtime.name;
      await insertInstance(db, { revision_id, replica, deployment_id, driver, host, port, url });
    }
  }

  /** Brings up all instances; if one fails, does not wait for the others. */
  async #bringUpAll(request: Omit<StartRequest, 'replicas'>, instances: InstanceKey[]): Promise<string[]> {
    const failed = new AbortController();
    const signal = AbortSignal.any([request.signal, failed.signal]);
    const starts = instances.map(({ replica }) =>
      bringUp(this.#options, this.runtime, { ...request, signal }, replica),
    );
    try {
      return await Promise.all(starts);
    } catch (error) {
      failed.abort();
      await Promise.allSettled(starts);
      throw error;
    }
  }

  async #drain(
    key: InstanceKey,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<void> {
    const { db } = this.#options;
    await setInstanceState(db, key, 'draining', ['starting', 'running']);
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
      const instance = await findInstance(db, key);
      if (!instance || instance.is_lost) return;
      if (this.#isHere(instance)) {
        await this.requestShutdown(instance);
        if (!(await this.runtime.isAlive(instance))) return;
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  /** Stops an instance and removes it. */
  async #end(key: InstanceKey): Promise<void> {
    const { db } = this.#options;
    await setInstanceState(db, key, 'stopping');
    for (;;) {
      const instance = await findInstance(db, key);
      if (!instance) return;
      if (this.#isHere(instance)) return this.runtime.remove(key);
      // The host is gone, with everything on it.
      if (instance.is_lost) return deleteInstance(db, key);
      await sleep(POLL_MS);
    }
  }
}
