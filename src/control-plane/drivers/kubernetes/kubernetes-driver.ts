import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { RevisionNotFound, StartFailed } from '../../errors.ts';
import { logSink } from '../../logs/log-sink.ts';
import { findRevision } from '../../records/revision-repository.ts';
import { openEnvironment } from '../../secrets/environment.ts';
import type { Driver, Instance, StartRequest } from '../driver.ts';
import { dropAgentDatabase } from '../agent-database.ts';
import { endWorkflows } from '../agent-workflows.ts';
import { drainMsOf } from '../../scaling/agent-limits.ts';
import { listInstances } from '../instance-repository.ts';
import { DEPLOYMENTS, PODS } from './kinds.ts';
import type { KubernetesDriverOptions } from './kubernetes-driver-options.ts';
import { isServing, LABELS, ownedBy, type Part, partName, partOf, WHOLE } from './object-names.ts';
import { watchObjects } from './object-watch.ts';
import { PodLogs } from './pod-logs.ts';
import { isReady } from './pod-report.ts';
import { removeFromCluster, removeOtherParts } from './removal.ts';
import { admit, deleteRows, noteReady, retireBeyond, setState } from './replica-rows.ts';
import { revisionObjects } from './revision-objects.ts';
import { NoGraphHost, noteServingImage, partsOf } from './serving-image.ts';
import { untilReady } from './until-ready.ts';

const TICK_MS = 1_000;
// Deployments end their cheapest pods first.
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
// Time until hosts whose server has ended are unready.
const ORPHANED_MS = 15_000;

type Bringing = Pick<StartRequest, 'revision' | 'environment' | 'replicas' | 'log' | 'signal'>;

/**
 * Runs each revision in a Kubernetes cluster: a Deployment of servers and one of graph hosts, or one of an image that
 * serves the API itself.
 */
export class KubernetesDriver implements Driver {
  readonly #options: KubernetesDriverOptions;

  constructor(options: KubernetesDriverOptions) {
    this.#options = options;
  }

  async start(request: StartRequest): Promise<Instance> {
    const { revision, signal } = request;
    const { db } = this.#options;
    const found = await listInstances(db, { revision_id: revision.id });
    // A new one is better than one that is ending.
    if (found.some(({ state }) => state === 'draining' || state === 'stopping')) await this.stop(revision.id);
    try {
      return await this.#bringUp(request);
    } catch (error) {
      // After other errors, the next attempt finds and joins it.
      if (signal.aborted || error instanceof StartFailed) await this.stop(revision.id);
      throw signal.aborted ? new StartFailed('it was interrupted') : error;
    }
  }

  async scale(revisionId: string, replicas: number, { signal }: { signal: AbortSignal }): Promise<void> {
    const { db, box, config } = this.#options;
    if (replicas === 0) {
      await this.drain(revisionId, { timeoutMs: config.SLIPWAY_DRAIN_SECONDS * 1000, signal });
      return this.stop(revisionId);
    }
    const revision = await findRevision(db, revisionId);
    if (!revision) throw new RevisionNotFound(revisionId);
    await this.#retire(revisionId, replicas, signal);
    const environment = openEnvironment(box, revision.id, revision.environment);
    const log = logSink(this.#options, revision, 'deploy');
    try {
      await this.#bringUp({ revision, environment, replicas, log, signal });
    } finally {
      await log.close();
    }
  }

  async drain(
    revisionId: string,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<void> {
    const { db, cluster } = this.#options;
    await setState(db, revisionId, 'draining', ['starting', 'running']);
    // Its pods get SIGTERM, and have their grace period to finish.
    const found = await this.#deployments(ownedBy(this.#options.config.SLIPWAY_PLATFORM, revisionId));
    for (const one of found.filter(isServing)) await this.#resize(one.metadata!.name!, 0);
    if (found.length === 0) return;
    const deadline = Date.now() + timeoutMs;
    const logs = new PodLogs(cluster, db);
    let hasHosts = found.some((one) => !isServing(one));
    try {
      for await (const pods of this.#pods(revisionId, signal)) {
        logs.follow(pods);
        if (hasHosts && !pods.some(isServing)) {
          hasHosts = false;
          await this.#resize(partName(revisionId, 'host'), 0);
        }
        if (pods.length === 0 || Date.now() > deadline) return;
      }
    } finally {
      await logs.close();
    }
  }

  async stop(revisionId: string): Promise<void> {
    const { db, cluster, config, log } = this.#options;
    await setState(db, revisionId, 'stopping');
    await removeFromCluster(cluster, config.SLIPWAY_PLATFORM, revisionId, log);
    await deleteRows(db, revisionId);
  }

  async erase(deploymentId: string): Promise<void> {
    const { db, client, config } = this.#options;
    const rows = await listInstances(db, { deployment_id: deploymentId });
    const selector = `${ownedBy(config.SLIPWAY_PLATFORM)},${LABELS.deployment}=${deploymentId}`;
    const ids = new Set([
      ...rows.map(({ revision_id }) => revision_id),
      ...(await this.#deployments(selector)).map(({ metadata }) => metadata!.labels![LABELS.revision]!),
    ]);
    await Promise.all(Array.from(ids, (id) => this.stop(id)));
    await endWorkflows(client, deploymentId);
    await dropAgentDatabase(this.#options, deploymentId);
  }

  /**
   * Ends the servers beyond `replicas`, which accept nothing new, and waits until their hosts are unready: those are the
   * hosts that Kubernetes ends next.
   */
  async #retire(revisionId: string, replicas: number, signal: AbortSignal): Promise<void> {
    const { db, cluster, config } = this.#options;
    const names = await retireBeyond(db, revisionId, replicas);
    for (const name of names)
      await cluster.change({ ...PODS, name }, { annotations: { [DELETION_COST]: '-1' } });
    if (names.length === 0 || !(await this.#resize(partName(revisionId, 'server'), replicas))) return;
    let deadline = Date.now() + drainMsOf(config);
    for await (const pods of this.#pods(revisionId, signal)) {
      const hosts = pods.filter((pod) => partOf(pod) === 'host');
      const isEnded = pods.length - hosts.length <= replicas;
      if (isEnded) deadline = Math.min(deadline, Date.now() + ORPHANED_MS);
      if (Date.now() > deadline || (isEnded && hosts.filter(isReady).length <= replicas)) return;
    }
  }

  async #bringUp(request: Bringing): Promise<Instance> {
    const { db, cluster, config, host } = this.#options;
    const { revision } = request;
    await admit(db, revision, host);
    try {
      return await this.#bringUpParts(await partsOf(db, revision.id), request);
    } catch (error) {
      if (!(error instanceof NoGraphHost)) throw error;
      await noteServingImage(db, revision.id);
      await removeOtherParts(cluster, config.SLIPWAY_PLATFORM, revision.id, []);
      return await this.#bringUpParts(WHOLE, request);
    }
  }

  async #bringUpParts(parts: Part[], request: Bringing): Promise<Instance> {
    const { db, cluster, config, host } = this.#options;
    const { revision, replicas, log, signal } = request;
    for (const object of await revisionObjects(this.#options, { ...request, parts })) {
      signal.throwIfAborted();
      await cluster.apply(object);
    }
    const logs = new PodLogs(cluster, db);
    try {
      const watched = this.#pods(revision.id, signal);
      const pods = await untilReady(watched, { cluster, config, revision, parts, replicas, logs, log });
      const url = await noteReady(db, revision, { host, pods, replicas });
      if (!url) throw new StartFailed('the revision was stopped');
      await removeOtherParts(cluster, config.SLIPWAY_PLATFORM, revision.id, parts);
      log('The agent is up and answers');
      return { url };
    } finally {
      await logs.close();
    }
  }

  async #deployments(selector: string): Promise<V1Deployment[]> {
    return (await this.#options.cluster.list<V1Deployment>(DEPLOYMENTS, selector)).items;
  }

  /** False if there is no such Deployment. */
  #resize(name: string, replicas: number): Promise<boolean> {
    return this.#options.cluster.change({ ...DEPLOYMENTS, name }, { spec: { replicas } });
  }

  #pods(revisionId: string, signal: AbortSignal): AsyncGenerator<V1Pod[]> {
    const { cluster, config } = this.#options;
    const selector = ownedBy(config.SLIPWAY_PLATFORM, revisionId);
    return watchObjects<V1Pod>(cluster, PODS, { selector, tickMs: TICK_MS, signal });
  }
}
