import type { RevisionSteps } from '../../../workflows/revision-contracts.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { Builder } from '../builds/builder.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { activateRevision, deleteDeployment, findServing } from '../deployments/deployment-repository.ts';
import type { Driver } from '../drivers/driver.ts';
import { RevisionNotFound } from '../errors.ts';
import { logSink } from '../logs/log-sink.ts';
import { openEnvironment } from '../secrets/environment.ts';
import { isBuilt } from '../vocabulary.ts';
import { failureOf, type RevisionStatus } from './revision-lifecycle.ts';
import { findReplaced, findRevision, recordArtifact, stepRevision } from './revision-repository.ts';
import type { RevisionRow } from './revision.ts';

type Deps = Pick<ControlPlaneDeps, 'config' | 'db' | 'box' | 'log'> & { builder: Builder; driver: Driver };

/** What the workflows of a revision do to the world. Every step may be repeated: it finds what was done before. */
export class RevisionWork {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async plan(id: string): Promise<RevisionSteps> {
    const { source, artifact } = await this.#require(id);
    const { config } = this.#deps;
    return {
      builds: artifact === null && isBuilt(source),
      build_timeout_ms: config.SLIPWAY_BUILD_TIMEOUT_SECONDS * 1000,
      pickup_timeout_ms: config.SLIPWAY_PICKUP_TIMEOUT_SECONDS * 1000,
      deploy_timeout_ms: config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS * 1000,
      drain_timeout_ms: config.SLIPWAY_DRAIN_SECONDS * 1000,
    };
  }

  async step(id: string, to: string, message?: string): Promise<RevisionStatus> {
    const { status } = await this.#require(id);
    const target = to === 'FAILED' ? failureOf(status) : (to as RevisionStatus);
    if (await stepRevision(this.#deps.db, id, target, message)) return target;
    return (await this.#require(id)).status;
  }

  async build(id: string, signal: AbortSignal): Promise<void> {
    const { db, builder } = this.#deps;
    await stepRevision(db, id, 'BUILDING');
    const revision = await this.#require(id);
    // An earlier attempt got this far.
    if (revision.artifact) return;
    const log = logSink(this.#deps, revision, 'build');
    try {
      const built = await builder.build({ revision, environment: this.#environment(revision), log, signal });
      await recordArtifact(db, id, built);
    } finally {
      await log.close();
    }
  }

  async deploy(id: string, signal: AbortSignal): Promise<void> {
    const { db, driver } = this.#deps;
    await stepRevision(db, id, 'DEPLOYING');
    const revision = await this.#require(id);
    const log = logSink(this.#deps, revision, 'deploy');
    try {
      const environment = this.#environment(revision);
      await driver.start({ revision, environment, replicas: 1, log, signal });
    } finally {
      await log.close();
    }
  }

  /** One transaction: the revision serves, and says so. Returns the one that served before, if it is another. */
  async cutOver(deploymentId: string, id: string): Promise<string | null> {
    return inTransaction(this.#deps.db, async (tx) => {
      const before = await findServing(tx, deploymentId);
      await activateRevision(tx, deploymentId, {
        revision_id: id,
        custom_url: this.#publicUrl(deploymentId),
      });
      await stepRevision(tx, id, 'DEPLOYED');
      // Done before, and nobody heard: what it replaced is the newest other one that served.
      return before === id ? findReplaced(tx, deploymentId, id) : before;
    });
  }

  async drain(id: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    await this.#deps.driver.drain(id, { timeoutMs, signal });
  }

  async stop(id: string): Promise<void> {
    await this.#deps.driver.stop(id);
  }

  async erase(deploymentId: string): Promise<void> {
    await this.#deps.driver.erase(deploymentId);
    await deleteDeployment(this.#deps.db, deploymentId);
  }

  #publicUrl(deploymentId: string): string {
    return `${this.#deps.config.SLIPWAY_PUBLIC_URL}/d/${deploymentId}`;
  }

  #environment({ id, environment }: RevisionRow) {
    return openEnvironment(this.#deps.box, id, environment);
  }

  async #require(id: string): Promise<RevisionRow> {
    const revision = await findRevision(this.#deps.db, id);
    if (!revision) throw new RevisionNotFound(id);
    return revision;
  }
}
