import { inTransaction } from '../../platform/db/database.ts';
import { newId, type Principal } from '../principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import { findCanary } from '../records/canary-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { holdDeployment, requireDeployment } from '../deployments/deployment-service.ts';
import { AlreadyEnded, NoArtifact, RevisionNotFound } from '../errors.ts';
import { openEnvironment, sealEnvironment } from '../secrets/environment.ts';
import { isBuilt } from '../vocabulary.ts';
import { isTerminal, type RevisionStatus } from '../records/revision-lifecycle.ts';
import {
  findRevision,
  insertRevision,
  recordApproval,
  stepRevision,
} from '../records/revision-repository.ts';
import type { RevisionRow } from '../records/revision.ts';

/** Throws DeploymentNotFound, RevisionNotFound. */
export async function requireRevision(
  { db }: Pick<ControlPlaneDeps, 'db'>,
  principal: Principal,
  deploymentId: string,
  id: string,
): Promise<RevisionRow> {
  await requireDeployment(db, principal, deploymentId);
  const revision = await findRevision(db, id, deploymentId);
  if (!revision) throw new RevisionNotFound(id);
  return revision;
}

/**
 * Redeploys a revision's artifact with its environment, as a new revision without a build: a rollback. Throws
 * NoArtifact.
 */
export async function redeploy(
  deps: ControlPlaneDeps,
  principal: Principal,
  deploymentId: string,
  id: string,
  reason?: string,
): Promise<RevisionRow> {
  const { db, box } = deps;
  const source = await requireRevision(deps, principal, deploymentId, id);
  // Images need no build.
  if ((isBuilt(source.source) && !source.artifact) || source.image_released) throw new NoArtifact(id);
  const revisionId = newId(principal, 'revision');
  const revision = await inTransaction(db, async (tx) => {
    await holdDeployment(tx, principal, deploymentId);
    const known = principal.seed ? await findRevision(tx, revisionId, deploymentId) : undefined;
    if (known) return known;
    const added = await insertRevision(tx, {
      ...source,
      id: revisionId,
      environment: sealEnvironment(box, revisionId, openEnvironment(box, id, source.environment)),
      created_by: principal.name,
      reason: reason || `redeploy of revision ${source.number}`,
      pinned: true,
      canary: null,
    });
    // Revisions that served or were approved need no second approval, so that a rollback takes seconds.
    const approval = source.approved_by ?? (hasServed(source.status) ? 'its earlier service' : null);
    if (approval !== null) await recordApproval(tx, revisionId, approval);
    const detail = { revision_id: revisionId };
    await recordChange(tx, principal, { action: 'redeployRevision', target: `revision/${id}`, detail });
    return added;
  });
  if (revision.status === 'CREATING')
    await deps.workflows.submit(deploymentId, { revision_id: revision.id, pinned: true });
  return revision;
}

const hasServed = (status: RevisionStatus): boolean => status === 'DEPLOYED' || status === 'UNKNOWN';

/** Interrupts a revision or a canary; idempotent. Throws AlreadyEnded. */
export async function interrupt(
  deps: ControlPlaneDeps,
  principal: Principal,
  deploymentId: string,
  id: string,
): Promise<void> {
  const { status } = await requireRevision(deps, principal, deploymentId, id);
  if (status === 'INTERRUPTED') return;
  const canary = isTerminal(status) ? await findCanary(deps.db, id) : undefined;
  if (canary?.state === 'aborted') return;
  if (isTerminal(status) && canary?.state !== 'watched') throw new AlreadyEnded(status);
  await inTransaction(deps.db, (tx) =>
    recordChange(tx, principal, { action: 'interruptRevision', target: `revision/${id}` }),
  );
  const canaryOf = { deployment_id: deploymentId, revision_id: id };
  const reason = `interrupted by ${principal.name}`;
  if (canary) return deps.workflows.steerCanary(canaryOf, 'interrupt', [reason]);
  const heard = await deps.workflows.interrupt(deploymentId, id);
  // Without a workflow nothing of it runs.
  if (!heard) await stepRevision(deps.db, id, 'INTERRUPTED', reason);
}
