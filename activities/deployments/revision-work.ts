import type { RevisionSteps } from '../../workflows/deployments/contracts.ts';
import { inTransaction } from '../../src/platform/db/database.ts';
import type { Builder } from '../../src/control-plane/builds/builder.ts';
import { targetOf } from '../../src/control-plane/commit-status/commit-report.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { recordChange } from '../../src/control-plane/audit/audit-repository.ts';
import {
  deleteDeployment,
  findDeploymentStanding,
  setDeploymentStatus,
} from '../../src/control-plane/records/deployment-repository.ts';
import type { Driver } from '../../src/control-plane/drivers/driver.ts';
import {
  BeingDeleted,
  NeedsApproval,
  NotBeingDeleted,
  RevisionNotFound,
  StartFailed,
  StepRefused,
} from '../../src/control-plane/errors.ts';
import {
  findIntegrationOf,
  openCredentials,
} from '../../src/control-plane/integrations/integration-repository.ts';
import { logSink } from '../../src/control-plane/logs/log-sink.ts';
import { boundsOf } from '../../src/control-plane/scaling/scale-bounds.ts';
import { beginScale, endScale, isWanted } from '../../src/control-plane/scaling/scale-repository.ts';
import { openEnvironment } from '../../src/control-plane/secrets/environment.ts';
import { maskedLog, masker } from '../../src/control-plane/secrets/masked-log.ts';
import { isBuilt } from '../../src/control-plane/vocabulary.ts';
import { needsApproval, noteApproval } from '../../src/control-plane/revisions/approval.ts';
import { failureOf, type RevisionStatus } from '../../src/control-plane/records/revision-lifecycle.ts';
import { buildPriority } from '../../src/control-plane/revisions/build-priority.ts';
import {
  findRevision,
  recordArtifact,
  stepRevision,
} from '../../src/control-plane/records/revision-repository.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { takeOver } from '../../src/control-plane/revisions/take-over.ts';
import { drainMsOf } from '../../src/control-plane/scaling/agent-limits.ts';

type Deps = Pick<ControlPlaneDeps, 'config' | 'db' | 'box' | 'log'> &
  Partial<Pick<ControlPlaneDeps, 'workflows'>> & { builder: Builder; driver: Driver };

/** Actor of changes no person asked for. */
const PLATFORM = 'platform';
/** Statuses a workflow may ask for; the others come with the work itself. */
const REQUESTABLE = ['QUEUED', 'AWAITING_BUILD', 'AWAITING_DEPLOY', 'SKIPPED', 'INTERRUPTED', 'FAILED'];

/**
 * The side effects of a revision's workflows. Every step is idempotent, and checks its input against the database:
 * anything that reaches Temporal could have sent it.
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

  /** A revision of a deployment other than `deploymentId` stays as it is. */
  async step(id: string, to: string, message?: string, deploymentId?: string): Promise<RevisionStatus> {
    const { status, deployment_id } = await this.#require(id);
    if (!REQUESTABLE.includes(to)) throw new StepRefused(id, status, to);
    if (deploymentId !== undefined && deployment_id !== deploymentId) return status;
    const target = to === 'FAILED' ? failureOf(status) : (to as RevisionStatus);
    if (await stepRevision(this.#deps.db, id, target, message)) {
      await this.#reportCommit(id);
      return target;
    }
    return (await this.#require(id)).status;
  }

  /** Approvals through the API are recorded already; this one came from an operator in Temporal. */
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
    await this.#reportCommit(id);
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
    // A revision that is already deploying keeps the rule it started with.
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
      // The agent's last output ends up in the revision's message and in a workflow history.
      throw error instanceof StartFailed ? new StartFailed(mask(error.message)) : error;
    } finally {
      await log.close();
    }
  }

  /** Makes the revision active in one transaction. Returns the one it replaced. */
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
    await this.#reportCommit(id);
    return replaced;
  }

  /** Does nothing for an active revision or a canary. */
  async drain(id: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { db, driver } = this.#deps;
    if (await isWanted(db, id)) return;
    await endScale(db, id);
    await driver.drain(id, { timeoutMs, signal });
  }

  /** Does nothing for an active revision, a canary, or a revision of another deployment. */
  async stop(id: string, deploymentId?: string): Promise<void> {
    const { db, driver } = this.#deps;
    if (await isWanted(db, id)) return;
    if (deploymentId !== undefined && !(await findRevision(db, id, deploymentId))) return;
    await endScale(db, id);
    await driver.stop(id);
  }

  /** Whether its deletion was requested or has finished. */
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

  /** Credentials of the deployment's git integration. */
  async #credentials({ deployment_id, source_config }: RevisionRow) {
    const { db, box } = this.#deps;
    const integration = await findIntegrationOf(db, deployment_id, source_config['integration_id']);
    return (
      integration && { ...openCredentials(box, integration), kind: integration.kind, url: integration.url }
    );
  }

  /** Never fails the revision. */
  async #reportCommit(id: string): Promise<void> {
    const { log, workflows } = this.#deps;
    try {
      if (workflows && (await targetOf(this.#deps, await this.#require(id))))
        await workflows.reportCommit(id);
    } catch (error) {
      log.warn({ err: error, revision_id: id }, 'could not start a commit status report');
    }
  }

  async #require(id: string): Promise<RevisionRow> {
    const revision = await findRevision(this.#deps.db, id);
    if (!revision) throw new RevisionNotFound(id);
    return revision;
  }
}
