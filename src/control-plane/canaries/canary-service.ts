import { inTransaction } from '../../platform/db/database.ts';
import type { Principal } from '../principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { requireDeployment } from '../deployments/deployment-service.ts';
import { NotACanary } from '../errors.ts';
import type { RevisionFigures } from '../gateway/traffic-figures.ts';
import { requireRevision } from '../revisions/revision-service.ts';
import type { CanaryAction, CanaryRow } from '../records/canary.ts';
import { canaryFigures } from './canary-figures.ts';
import { findCanary, listWatched } from '../records/canary-repository.ts';

interface Seen {
  canary: CanaryRow;
  figures: RevisionFigures[];
}

/** Throws DeploymentNotFound, RevisionNotFound, NotACanary. */
export async function requireCanary(
  deps: ControlPlaneDeps,
  principal: Principal,
  { deployment_id, revision_id }: { deployment_id: string; revision_id: string },
): Promise<Seen> {
  await requireRevision(deps, principal, deployment_id, revision_id);
  const canary = await findCanary(deps.db, revision_id);
  if (!canary) throw new NotACanary(revision_id);
  const { active_revision_id } = await requireDeployment(deps.db, principal, deployment_id);
  const figures = await canaryFigures(deps, canary, active_revision_id ?? revision_id);
  return { canary, figures };
}

/** Signals the canary's workflow, which acts a moment later. Throws NotACanary for one that has ended. */
export async function steerCanary(
  deps: ControlPlaneDeps,
  principal: Principal,
  named: { deployment_id: string; revision_id: string },
  action: CanaryAction,
): Promise<void> {
  const { canary } = await requireCanary(deps, principal, named);
  const { revision_id } = named;
  if (canary.state !== 'watched') throw new NotACanary(revision_id);
  await inTransaction(deps.db, (tx) =>
    recordChange(tx, principal, {
      action: 'steerCanary',
      target: `revision/${revision_id}`,
      detail: { action },
    }),
  );
  const reason = action === 'abort' ? [`${principal.name} aborted it`] : [];
  await deps.workflows.steerCanary(named, action, reason);
}

/** Restarts lost canary workflows. Returns how many. */
export async function recoverLostCanaries(
  { db, workflows }: Pick<ControlPlaneDeps, 'db' | 'workflows'>,
  { forSeconds }: { forSeconds: number },
): Promise<number> {
  let begun = 0;
  for (const canary of await listWatched(db, forSeconds)) {
    if (await workflows.isOpen('canary', canary.revision_id)) continue;
    await workflows.watchCanary(canary);
    begun++;
  }
  return begun;
}
