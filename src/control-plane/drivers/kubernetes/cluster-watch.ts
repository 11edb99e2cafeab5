import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { LRUCache } from 'lru-cache';
import { insertLines, trimLines } from '../../logs/log-repository.ts';
import { findRevision, stepRevision } from '../../records/revision-repository.ts';
import { noteDrift } from '../../scaling/drift-repository.ts';
import { isWanted } from '../../scaling/scale-repository.ts';
import { endingOf } from '../ending.ts';
import { HostLock } from '../host-lock.ts';
import { listHeardAgain, listOrphans, listSilent } from '../instance-health-repository.ts';
import { forgetUsage, type InstanceRow, listInstances } from '../instance-repository.ts';
import { AGENT } from './agent-pod.ts';
import { driftedRevisions, revisionOf } from './cluster-drift.ts';
import { exhaustedMemory } from './exhausted-memory.ts';
import { DEPLOYMENTS, NETWORK_POLICIES, PODS } from './kinds.ts';
import type { KubernetesDriver } from './kubernetes-driver.ts';
import type { KubernetesDriverOptions } from './kubernetes-driver-options.ts';
import { ownedBy, partOf } from './object-names.ts';
import { watchObjects } from './object-watch.ts';
import { claimCrash } from './pod-log-repository.ts';
import { notePodUsage } from './pod-usage.ts';
import { PodLogs } from './pod-logs.ts';
import { endOf, readyPods } from './pod-report.ts';
import { Renewals } from './renewals.ts';
import { noteReady, placePods, renewLeases } from './replica-rows.ts';

const TURN_MS = 5_000;
const MOST_LINES = 50_000;
const TRIM_MS = 300_000;
// Metrics servers ask nodes every 15 s; a cluster without one may get one.
const MEASURE_MS = 15_000;
const UNMEASURED_MS = 300_000;
const KNOWN_PODS = 10_000;

/**
 * Supervises the cluster: stores the output of agents, logs how they ended, renews their pull credentials and artifact
 * addresses, and removes revisions that are not wanted. Kubernetes itself restarts what crashed.
 */
export class ClusterWatch {
  readonly #options: KubernetesDriverOptions;
  readonly #driver: KubernetesDriver;
  readonly #logs: PodLogs;
  readonly #lock: HostLock;
  readonly #stopping = new AbortController();
  #ended: Promise<void> | undefined;
  readonly #renewals: Renewals;
  /** How often each pod's agent had ended when that was last noted. */
  readonly #ends = new LRUCache<string, number>({ max: KNOWN_PODS });
  #drifted = new Set<string>();
  #turnAt = 0;
  #measureAt = 0;
  #trimAt = Date.now() + TRIM_MS;

  constructor(options: KubernetesDriverOptions, driver: KubernetesDriver) {
    this.#options = options;
    this.#driver = driver;
    this.#logs = new PodLogs(options.cluster, options.db);
    this.#lock = new HostLock(options.db, options.host);
    this.#renewals = new Renewals(options);
  }

  start(): void {
    this.#ended = this.#loop();
  }

  /** Agents keep running. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await this.#logs.close();
    this.#lock.release();
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    const { cluster, config, log } = this.#options;
    const selector = ownedBy(config.SLIPWAY_PLATFORM);
    while (!signal.aborted) {
      try {
        if (await this.#lock.take())
          for await (const pods of watchObjects<V1Pod>(cluster, PODS, {
            selector,
            tickMs: TURN_MS,
            signal,
          })) {
            if (!this.#lock.isHeld) break;
            await this.#look(pods);
          }
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'supervising the cluster failed; retrying');
      }
      await sleep(TURN_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #look(pods: V1Pod[]): Promise<void> {
    const { db, host } = this.#options;
    const rows = new Map<string, InstanceRow[]>();
    for (const row of await listInstances(db, { host }))
      rows.set(row.revision_id, [...(rows.get(row.revision_id) ?? []), row]);
    // The caller that waits for a start or a drain follows its pods.
    const running = pods.filter((pod) => rows.get(revisionOf(pod))?.some(({ state }) => state === 'running'));
    this.#logs.follow(running);
    for (const pod of running) await this.#noteCrash(pod);
    for (const [id, instances] of rows)
      await this.#place(
        instances,
        pods.filter((pod) => revisionOf(pod) === id),
      );
    if (Date.now() < this.#turnAt) return;
    this.#turnAt = Date.now() + TURN_MS;
    await this.#turn();
  }

  /** Pods move between nodes: updates the addresses that gateways use. */
  async #place(rows: InstanceRow[], pods: V1Pod[]): Promise<void> {
    const { db, host } = this.#options;
    const [{ revision_id: id, deployment_id }] = rows as [InstanceRow];
    if (rows.some(({ state }) => state !== 'running')) return;
    const ready = readyPods(pods);
    const slots = placePods(rows, ready, rows.length);
    const isSame = rows.every(({ url, replica }) => (url ?? undefined) === slots[replica]?.pod?.url);
    if (!isSame) await noteReady(db, { id, deployment_id }, { host, pods: ready });
  }

  async #turn(): Promise<void> {
    const { cluster, config, db, host } = this.#options;
    const owned = ownedBy(config.SLIPWAY_PLATFORM);
    const { items: deployments } = await cluster.list<V1Deployment>(DEPLOYMENTS, owned);
    const { items: policies } = await cluster.list(NETWORK_POLICIES, owned);
    await renewLeases(db, host);
    // Read after the cluster, so that every object there has its row.
    const instances = await listInstances(db, { host });
    const known = new Set(instances.map(({ revision_id }) => revision_id));
    const found = deployments.map(revisionOf);
    // A scaler adopts one that serves and lost its rows.
    for (const id of found) if (!known.has(id) && !(await isWanted(db, id))) await this.#removeOrphan(id);
    await this.#noteDrift(driftedRevisions(instances, { deployments, policies }));
    // Pods finish their work within their grace period.
    for (const { revision_id } of await listOrphans(db, host)) await this.#removeOrphan(revision_id);
    for (const id of await listSilent(db)) await stepRevision(db, id, 'UNKNOWN', 'its host is silent');
    for (const id of await listHeardAgain(db)) await stepRevision(db, id, 'DEPLOYED', 'its host is back');
    for (const instance of instances) await this.#renewals.look(instance);
    await this.#measure(owned, instances);
    if (Date.now() < this.#trimAt) return;
    this.#trimAt = Date.now() + TRIM_MS;
    for (const id of known) await trimLines(db, id, MOST_LINES);
  }

  async #measure(selector: string, instances: InstanceRow[]): Promise<void> {
    if (Date.now() < this.#measureAt || instances.length === 0) return;
    const { db, host } = this.#options;
    const isMeasured = await notePodUsage(this.#options, selector, instances);
    if (!isMeasured) await forgetUsage(db, host);
    this.#measureAt = Date.now() + (isMeasured ? MEASURE_MS : UNMEASURED_MS);
  }

  /** Only twice in a row: rows and cluster are read one after the other. */
  async #noteDrift(drifted: Set<string>): Promise<void> {
    for (const id of drifted) if (this.#drifted.has(id)) await noteDrift(this.#options.db, id);
    this.#drifted = drifted;
  }

  async #removeOrphan(revisionId: string): Promise<void> {
    const { log } = this.#options;
    log.warn({ revision_id: revisionId }, 'removing an unwanted revision from the cluster');
    await this.#driver.stop(revisionId);
  }

  async #noteCrash(pod: V1Pod): Promise<void> {
    const { config, db } = this.#options;
    const status = pod.status?.containerStatuses?.find(({ name }) => name === AGENT);
    const ended = status && endOf(status);
    const pod_uid = pod.metadata!.uid!;
    // Pods show their last end for as long as they run.
    if (!ended || pod.metadata!.deletionTimestamp || this.#ends.get(pod_uid) === ended.times) return;
    const revision = await findRevision(db, revisionOf(pod));
    if (!revision) return;
    const isFirst = await claimCrash(db, { pod_uid, revision }, ended.times);
    this.#ends.set(pod_uid, ended.times);
    if (!isFirst) return;
    const output = await this.#logs.lastLines(pod, ended);
    const isHost = partOf(pod) === 'host';
    const megabytes = exhaustedMemory(partOf(pod), ended, revision, config);
    const { reason } = endingOf({ ...ended, megabytes, output });
    const message = `The ${isHost ? 'graph host' : 'agent'} ended by itself: ${reason}. Restarting it`;
    await insertLines(db, revision, 'deploy', [{ level: 'error', message, at: Date.now() }]);
  }
}
