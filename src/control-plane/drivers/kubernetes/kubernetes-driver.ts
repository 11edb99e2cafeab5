import { ensureGatewayToken } from '../../gateway/gateway-token.ts';
import type { V1Pod } from '@kubernetes/client-node';
import { RevisionNotFound, StartFailed } from '../../errors.ts';
import { logSink } from '../../logs/log-sink.ts';
import { findRevision } from '../../revisions/revision-repository.ts';
import { openEnvironment } from '../../secrets/environment.ts';
import type { Driver, Instance, StartRequest } from '../driver.ts';
import { dropAgentDatabase, ensureAgentDatabase } from '../agent-database.ts';
import { agentEnvironment } from '../agent-environment.ts';
import { tracingEnvironment } from '../tracing-environment.ts';
import { endWorkflows } from '../agent-workflows.ts';
import { graceSecondsOf } from '../agent-limits.ts';
import { listInstances } from '../instance-repository.ts';
import { agentObjects } from './agent-objects.ts';
import { HEARD_SECONDS, PORT } from './agent-pod.ts';
import { artifactAddress } from './artifact-address.ts';
import { DEPLOYMENTS, PODS } from './kinds.ts';
import type { KubernetesDriverOptions } from './kubernetes-driver-options.ts';
import { LABELS, objectName, ownedBy } from './object-names.ts';
import { watchObjects } from './object-watch.ts';
import { PodLogs } from './pod-logs.ts';
import { pulledImage } from './pull-secret.ts';
import { removeFromCluster } from './removal.ts';
import { admit, deleteRows, noteReady, retireBeyond, setState } from './replica-rows.ts';
import { untilReady } from './until-ready.ts';

const TICK_MS = 1_000;
const TMP = '/tmp';
// Of those it may end, a Deployment ends the cheapest first.
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const POSTGRES_PORT = 5_432;
const TEMPORAL_PORT = 7_233;

type Bringing = Pick<StartRequest, 'revision' | 'environment' | 'replicas' | 'log' | 'signal'>;

/** Runs each revision as a Deployment and a Service of its own in a Kubernetes cluster. */
export class KubernetesDriver implements Driver {
  readonly #options: KubernetesDriverOptions;

  constructor(options: KubernetesDriverOptions) {
    this.#options = options;
  }

  async start(request: StartRequest): Promise<Instance> {
    const { revision, signal } = request;
    const { db } = this.#options;
    const found = await listInstances(db, { revision_id: revision.id });
    // What is half ended is not worth more than a new one.
    if (found.some(({ state }) => state === 'draining' || state === 'stopping')) await this.stop(revision.id);
    try {
      return await this.#bringUp(request);
    } catch (error) {
      // Whatever else went wrong, the next attempt finds and joins it.
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
    await this.#retire(revisionId, replicas);
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
    const deployment = { ...DEPLOYMENTS, name: objectName(revisionId) };
    // Its pods are told to end, and have the time of their grace for it.
    if (!(await cluster.change(deployment, { spec: { replicas: 0 } }))) return;
    const deadline = Date.now() + timeoutMs;
    const logs = new PodLogs(cluster, db);
    try {
      for await (const pods of this.#pods(revisionId, signal)) {
        logs.follow(pods);
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
    const { db, client, cluster, config } = this.#options;
    const rows = await listInstances(db, { deployment_id: deploymentId });
    const selector = `${ownedBy(config.SLIPWAY_PLATFORM)},${LABELS.deployment}=${deploymentId}`;
    const { items } = await cluster.list(DEPLOYMENTS, selector);
    const ids = new Set([
      ...rows.map(({ revision_id }) => revision_id),
      ...items.map(({ metadata }) => metadata!.labels![LABELS.revision]!),
    ]);
    await Promise.all(Array.from(ids, (id) => this.stop(id)));
    await endWorkflows(client, deploymentId);
    await dropAgentDatabase(this.#options, deploymentId);
  }

  /** Those beyond take nothing new, and are the ones that Kubernetes ends. */
  async #retire(revisionId: string, replicas: number): Promise<void> {
    const { db, cluster } = this.#options;
    for (const name of await retireBeyond(db, revisionId, replicas))
      await cluster.change({ ...PODS, name }, { annotations: { [DELETION_COST]: '-1' } });
  }

  async #bringUp(request: Bringing): Promise<Instance> {
    const { db, cluster, config, host } = this.#options;
    const { revision, replicas, log, signal } = request;
    await admit(db, revision, host);
    await this.#apply(request);
    const logs = new PodLogs(cluster, db);
    try {
      const watched = this.#pods(revision.id, signal);
      const pods = await untilReady(watched, { cluster, config, revision, replicas, logs, log });
      const url = await noteReady(db, revision, { host, pods, replicas });
      if (!url) throw new StartFailed('it was stopped');
      log('The agent is up and answers');
      return { url };
    } finally {
      await logs.close();
    }
  }

  async #apply({ revision, environment, replicas, signal }: Bringing): Promise<void> {
    const { cluster, config, box, temporal, databaseUrl } = this.#options;
    const agentDatabaseUrl = await ensureAgentDatabase(this.#options, revision);
    const { PATH: _, ...told } = agentEnvironment({
      revision,
      environment,
      databaseUrl: agentDatabaseUrl,
      temporal,
      workDir: TMP,
      graceSeconds: Math.max(1, graceSecondsOf(config) - HEARD_SECONDS),
      gatewayToken: await ensureGatewayToken(this.#options, revision.id),
      answerSeconds: config.SLIPWAY_ANSWER_SECONDS,
      privateAddresses: config.SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES,
      tracing: await tracingEnvironment(this.#options, revision.deployment_id, environment),
    });
    const objects = agentObjects({
      config,
      revision,
      replicas,
      environment: { ...told, HOST: '0.0.0.0', PORT: String(PORT) },
      servicePorts: [
        Number(new URL(databaseUrl).port || POSTGRES_PORT),
        Number(/:(\d+)$/.exec(temporal.address)?.[1] ?? TEMPORAL_PORT),
      ],
      artifactUrl: artifactAddress(config, box, revision),
      pulled: await pulledImage({ config, box }, revision),
    });
    for (const object of objects) {
      signal.throwIfAborted();
      await cluster.apply(object);
    }
  }

  #pods(revisionId: string, signal: AbortSignal): AsyncGenerator<V1Pod[]> {
    const { cluster, config } = this.#options;
    const selector = ownedBy(config.SLIPWAY_PLATFORM, revisionId);
    return watchObjects<V1Pod>(cluster, PODS, { selector, tickMs: TICK_MS, signal });
  }
}
