import { createHash, randomUUID } from 'node:crypto';
import { type KubeletOptions, PodRun } from './kubelet.ts';
import { quantity } from './object-rules.ts';
import { ServiceProxy } from './service-proxy.ts';
import type { Change, ObjectStore, StoredObject } from './object-store.ts';

const NODE_MEMORY = quantity('64Gi');
const SUFFIX = 5;

/** Creates pods for Deployments, runs them, and removes orphaned objects. */
export class Controllers {
  readonly #store: ObjectStore;
  readonly #kubelet: KubeletOptions;
  readonly #services: ServiceProxy;
  readonly runs = new Map<string, PodRun>();
  /** As many pods as a quota of the namespace allows. */
  podQuota = Infinity;

  constructor(kubelet: Omit<KubeletOptions, 'services'>) {
    this.#store = kubelet.store;
    this.#services = new ServiceProxy(kubelet.store);
    this.#kubelet = { ...kubelet, services: this.#services };
    this.#store.on('change', (change) => setImmediate(() => this.#hear(change)));
  }

  async close(): Promise<void> {
    for (const run of this.runs.values()) run.end(0);
    await this.#services.close();
  }

  #hear({ type, plural, object }: Change): void {
    if (plural === 'deployments' || plural === 'replicasets' || plural === 'pods') this.#collectGarbage();
    if (plural === 'pods' && type !== 'DELETED') this.#runPod(object);
    if (plural === 'pods' && type === 'DELETED') this.runs.delete(object.metadata.uid);
    for (const deployment of this.#store.list('deployments')) this.#reconcile(deployment);
  }

  /** Like a cluster, removes objects whose owner is gone. */
  #collectGarbage(): void {
    for (const plural of ['replicasets', 'pods'] as const)
      for (const { metadata } of this.#store.list(plural)) {
        const [owner] = metadata.ownerReferences ?? [];
        const ownerPlural = owner?.kind === 'Deployment' ? 'deployments' : 'replicasets';
        if (owner && this.#store.find(ownerPlural, owner.name)?.metadata.uid !== owner.uid)
          this.deleteObject(plural, metadata.name);
      }
  }

  /** Asks a pod to end, and removes it when it has; removes anything else immediately. */
  deleteObject(plural: string, name: string, graceSeconds?: number): void {
    const object = this.#store.find(plural, name);
    if (!object) return;
    if (plural !== 'pods' || graceSeconds === 0) return this.#store.remove(plural, name);
    const grace = graceSeconds ?? object.spec.terminationGracePeriodSeconds ?? 30;
    const { deletionTimestamp, deletionGracePeriodSeconds = Infinity } = object.metadata;
    if (deletionTimestamp && deletionGracePeriodSeconds <= grace) return;
    const requested = deletionTimestamp ?? new Date().toISOString();
    const metadata = { ...object.metadata, deletionTimestamp: requested, deletionGracePeriodSeconds: grace };
    this.#store.put(plural, { ...object, metadata });
    const run = this.runs.get(object.metadata.uid);
    if (run) run.end(grace * 1_000);
    else this.#store.remove(plural, name);
  }

  #reconcile(deployment: StoredObject): void {
    const { replicas = 1, template } = deployment.spec;
    const hash = createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
    const { name } = deployment.metadata;
    const set = `${name.slice(0, 50)}-${hash}`;
    const owned = this.#store.list('pods').filter(({ metadata }) => {
      const [owner] = this.#store.find('replicasets', metadata.ownerReferences![0]!.name)?.metadata
        .ownerReferences ?? [undefined];
      return owner?.uid === deployment.metadata.uid;
    });
    const alive = owned.filter(({ metadata }) => !metadata.deletionTimestamp);
    const current = alive.filter(({ metadata }) => metadata.ownerReferences![0]!.name === set);
    if (!this.#store.find('replicasets', set))
      this.#store.put('replicasets', {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          name: set,
          namespace: deployment.metadata.namespace,
          labels: template.metadata.labels,
          ownerReferences: [owner(deployment)],
        },
        spec: { replicas },
      });
    let isRefused = false;
    for (let count = current.length; count < replicas; count++) {
      isRefused = owned.length + count - current.length >= this.podQuota;
      if (isRefused) break;
      this.#makePod(this.#store.find('replicasets', set)!, template);
    }
    for (const { metadata } of current.sort(byWorth).slice(replicas))
      this.deleteObject('pods', metadata.name);
    const ready = current.filter(isReady).length;
    if (ready >= replicas)
      for (const { metadata } of alive)
        if (metadata.ownerReferences![0]!.name !== set) this.deleteObject('pods', metadata.name);
    this.#report(deployment, { replicas: alive.length, readyReplicas: ready, isRefused });
  }

  #makePod(set: StoredObject, template: any): void {
    this.#store.put('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${set.metadata.name}-${randomUUID().slice(0, SUFFIX)}`,
        namespace: set.metadata.namespace,
        labels: template.metadata.labels,
        ownerReferences: [owner(set)],
      },
      spec: template.spec,
      status: { phase: 'Pending' },
    });
  }

  #report(
    deployment: StoredObject,
    about: { replicas: number; readyReplicas: number; isRefused: boolean },
  ): void {
    const { isRefused, ...counts } = about;
    const conditions = isRefused
      ? [
          {
            type: 'ReplicaFailure',
            status: 'True',
            reason: 'FailedCreate',
            message: 'exceeded quota: agents',
          },
        ]
      : [];
    const status = { ...counts, observedGeneration: deployment.metadata.generation, conditions };
    if (JSON.stringify(status) === JSON.stringify(deployment.status)) return;
    this.#store.put('deployments', { ...deployment, status });
  }

  #runPod(pod: StoredObject): void {
    if (this.runs.has(pod.metadata.uid) || pod.status.conditions || pod.metadata.deletionTimestamp) return;
    const wanted = pod.spec.containers.reduce(
      (sum: number, { resources }: any) => sum + quantity(resources?.requests?.memory ?? '0'),
      0,
    );
    if (wanted > NODE_MEMORY) {
      const message = '0/1 nodes are available: 1 Insufficient memory.';
      const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
      this.#store.put('pods', { ...pod, status: { phase: 'Pending', conditions } });
      return;
    }
    this.runs.set(pod.metadata.uid, new PodRun(this.#kubelet, pod));
  }
}

/** Orders pods so that those a Deployment ends first come last: unready ones, then the cheapest. */
const byWorth = (a: StoredObject, b: StoredObject): number =>
  Number(isReady(b)) - Number(isReady(a)) || costOf(b) - costOf(a);

const costOf = ({ metadata }: StoredObject): number =>
  Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);

const owner = ({ kind, metadata }: StoredObject) => ({ kind, name: metadata.name, uid: metadata.uid });

const isReady = ({ status }: StoredObject): boolean =>
  (status?.conditions ?? []).some(
    (one: { type: string; status: string }) => one.type === 'Ready' && one.status === 'True',
  );
