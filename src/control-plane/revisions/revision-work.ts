import type { RevisionSteps } from '../../../workflows/revision-contracts.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { Builder } from '../builds/builder.ts';
import { targetOf } from '../commit-status/commit-report.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { recordChange } from '../audit/audit-repository.ts';
import {
  deleteDeployment,
  findDeploymentStanding,
  setDeploymentStatus,
} from '../deployments/deployment-repository.ts';
import type { Driver } from '../drivers/driver.ts';
import {
  BeingDeleted,
  NeedsApproval,
  NotBeingDeleted,
  RevisionNotFound,
  StartFailed,
  StepRefused,
} from '../errors.ts';
import { findIntegrationOf, openCredentials } from '../integrations/integration-repository.ts';
import { logSink } from '../logs/log-sink.ts';
import { boundsOf } from '../scaling/scale-bounds.ts';
import { beginScale, endScale, isWanted } from '../scaling/scale-repository.ts';
import { openEnvironment } from '../secrets/environment.ts';
import { maskedLog, masker } from '../secrets/masked-log.ts';
import { isBuilt } from '../vocabulary.ts';
import { needsApproval, noteApproval } from './approval.ts';
import { failureOf, type RevisionStatus } from './revision-lifecycle.ts';
import { buildPriority } from './build-priority.ts';
import { findRevision, recordArtifact, stepRevision } from './revision-repository.ts';
import type { RevisionRow } from './revision.ts';
import { takeOver } from './take-over.ts';
import { drainMsOf } from '../drivers/agent-limits.ts';

type Deps = Pick<ControlPlaneDeps, 'config' | 'db' | 'box' | 'log'> &
  Partial<Pick<ControlPlaneDeps, 'workflows'>> & { builder: Builder; driver: Driver };

/** Who does what no person asked for at that moment. */
const PLATFORM = 'platform';
/** Steps that a workflow may name; the others are taken with the work that they stand for. */
const NAMED = ['QUEUED', 'AWAITING_BUILD', 'AWAITING_DEPLOY', 'SKIPPED', 'INTERRUPTED', 'FAILED'];

/**
 * What the workflows of a revision do to the world. Every step may be repeated: it finds what was done before. What a
 * workflow says is held against the database: anything that reaches Temporal could have sent it.
 */
export class RevisionWork {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async plan(id: string): Promise<RevisionSteps> {
    const revision = await this.#require(id);
    const { source, artifact, canary } = revision;
    const { config } = this.#deps;
    const builds = artifact === null && isBuilt(source);
    return {
      builds,
      ...(builds && { build_priority: await buildPriority(this.#deps.db, id) }),
      build_timeout_ms: config.SLIPWAY_BUILD_TIMEOUT_SECONDS * 1000,
      pickup_timeout_ms: config.SLIPWAY_PICKUP_TIMEOUT_SECONDS * 1000,
      deploy_timeout_ms: config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS * 1000,
      drain_timeout_ms: drainMsOf(config),
      ...(canary && { canary: true }),
      ...(needsApproval(config, revision) && {
        approval_timeout_ms: config.SLIPWAY_APPROVAL_TIMEOUT_SECONDS * 1000,
      }),
    };
  }

  /** `deploymentId` is whose revision it must be; one of another stays as it is. */
  async step(id: string, to: string, message?: string, deploymentId?: string): Promise<RevisionStatus> {
    const { status, deployment_id } = await this.#require(id);
    if (!NAMED.includes(to)) throw new StepRefused(id, status, to);
    if (deploymentId !== undefined && deployment_id !== deploymentId) return status;
    const target = to === 'FAILED' ? failureOf(status) : (to as RevisionStatus);
    if (await stepRevision(this.#deps.db, id, target, message)) {
      await this.#tellHost(id);
      return target;
    }
    return (await this.#require(id)).status;
  }

  /** An approval through the API is recorded already; any other comes from an operator in Temporal. */
  async approve(id: string): Promise<void> {
    await this.#require(id);
    await inTransaction(this.#deps.db, (tx) => noteApproval(tx, id));
  }

  async build(id: string, signal: AbortSignal): Promise<void> {
    const { db, builder } = this.#deps;
    await stepRevision(db, id, 'BUILDING');
    const revision = await this.#require(id);
    if (revision.status !== 'BUILDING') throw new StepRefused(id, revision.status, 'built');
    // An earlier attempt got this far.
    if (revision.artifact) return;
    await this.#tellHost(id);
    const log = logSink(this.#deps, revision, 'build');
    try {
      const environment = this.#environment(revision);
      const credentials = await this.#credentials(revision);
      const built = await builder.build({ revision, environment, credentials, log, signal });
      await recordArtifact(db, id, built);
    } finally {
      await log.close();
    }
  }

  async deploy(id: string, signal: AbortSignal): Promise<void> {
    const { db, driver } = this.#deps;
    const waiting = await this.#require(id);
    // One that is being deployed goes on by the rule it started with.
    if (waiting.status !== 'DEPLOYING' && needsApproval(this.#deps.config, waiting))
      throw new NeedsApproval(id);
    if ((await findDeploymentStanding(db, waiting.deployment_id))?.is_going)
      throw new BeingDeleted(waiting.deployment_id);
    await stepRevision(db, id, 'DEPLOYING');
    const revision = await this.#require(id);
    if (revision.status !== 'DEPLOYING') throw new StepRefused(id, revision.status, 'deployed');
    const { min, max } = boundsOf(revision.source_config, this.#deps.config);
    const replicas = await beginScale(db, id, { least: Math.max(1, min), most: max });
    const log = logSink(this.#deps, revision, 'deploy');
    const environment = this.#environment(revision);
    const mask = masker(environment);
    try {
      await driver.start({ revision, environment, replicas, log: maskedLog(log, mask), signal });
    } catch (error) {
      // What an agent says as it ends becomes the revision's message, and part of a workflow's history.
      throw error instanceof StartFailed ? new StartFailed(mask(error.message)) : error;
    } finally {
      await log.close();
    }
  }

  /** One transaction: the revision serves, and says so. Returns the one that served before, if it is another. */
  async cutOver(deploymentId: string, id: string): Promise<string | null> {
    const { db, config } = this.#deps;
    const replaced = await inTransaction(db, async (tx) => {
      const standing = await findDeploymentStanding(tx, deploymentId, { lock: true });
      const before = await takeOver(tx, config, deploymentId, id);
      if (standing && standing.active_revision_id !== id) {
        const detail = { deployment_id: deploymentId, replaced: before };
        const change = { action: 'cutOver', target: `revision/${id}`, detail };
        await recordChange(tx, { tenant_id: standing.tenant_id, name: PLATFORM }, change);
      }
      return before;
    });
    await this.#tellHost(id);
    return replaced;
  }

  /** Nothing happens to one that serves, or is tried on a part of the threads. */
  async drain(id: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { db, driver } = this.#deps;
    if (await isWanted(db, id)) return;
    await endScale(db, id);
    await driver.drain(id, { timeoutMs, signal });
  }

  /** The same; nor to one of another deployment than the one named. */
  async stop(id: string, deploymentId?: string): Promise<void> {
    const { db, driver } = this.#deps;
    if (await isWanted(db, id)) return;
    if (deploymentId !== undefined && !(await findRevision(db, id, deploymentId))) return;
    await endScale(db, id);
    await driver.stop(id);
  }

  /** Whether somebody has asked for it, or it is gone already. */
  async isBeingDeleted(deploymentId: string): Promise<boolean> {
    return (await findDeploymentStanding(this.#deps.db, deploymentId))?.is_going ?? true;
  }

  async erase(deploymentId: string): Promise<void> {
    const { db, driver } = this.#deps;
    const standing = await findDeploymentStanding(db, deploymentId);
    // An earlier attempt got this far.
    if (!standing) return;
    if (!standing.is_going) throw new NotBeingDeleted(deploymentId);
    await setDeploymentStatus(db, deploymentId, 'AWAITING_FINAL_DELETE', ['AWAITING_DELETE']);
    await driver.erase(deploymentId);
    await inTransaction(db, async (tx) => {
      if (!(await deleteDeployment(tx, deploymentId))) return;
      const change = { action: 'eraseDeployment', target: `deployment/${deploymentId}` };
      await recordChange(tx, { tenant_id: standing.tenant_id, name: PLATFORM }, change);
    });
  }

  #environment({ id, environment }: RevisionRow) {
    return openEnvironment(this.#deps.box, id, environment);
  }

  /** What the integration that the deployment names lets it be fetched with. */
  async #credentials({ deployment_id, source_config }: RevisionRow) {
    const { db, box } = this.#deps;
    const integration = await findIntegrationOf(db, deployment_id, source_config['integration_id']);
    return (
      integration && { ...openCredentials(box, integration), kind: integration.kind, url: integration.url }
    );
  }

  /** A host that cannot be told is no matter of the revision. */
  async #tellHost(id: string): Promise<void> {
    const { log, workflows } = this.#deps;
    try {
      if (workflows && (await targetOf(this.#deps, await this.#require(id))))
        await workflows.reportCommit(id);
    } catch (error) {
      log.warn({ err: error, revision_id: id }, 'the git host is not told of a revision');
    }
  }

  async #require(id: string): Promise<RevisionRow> {
    const revision = await findRevision(this.#deps.db, id);
    if (!revision) throw new RevisionNotFound(id);
    return revision;
  }
}
