import { inTransaction, type Queryable } from '../../platform/db/database.ts';
import type { Principal } from '../principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { NotWaiting } from '../errors.ts';
import { findRevision, recordApproval } from '../records/revision-repository.ts';
import { requireRevision } from './revision-service.ts';
import type { RevisionRow } from '../records/revision.ts';

const OPERATOR = 'an operator of Temporal';

/** Whether the revision needs approval: by its deployment's setting or the platform's. */
export const needsApproval = (
  { SLIPWAY_REQUIRE_APPROVAL }: ControlPlaneSettings,
  { source_config, approved_by }: Pick<RevisionRow, 'source_config' | 'approved_by'>,
): boolean =>
  approved_by === null && (SLIPWAY_REQUIRE_APPROVAL || source_config['requires_approval'] === true);

/** Approves a waiting revision; repeating it signals the workflow again. Throws NotWaiting. */
export async function approve(
  deps: ControlPlaneDeps,
  principal: Principal,
  deploymentId: string,
  id: string,
): Promise<void> {
  const revision = await requireRevision(deps, principal, deploymentId, id);
  const wasApproved = revision.approved_by !== null;
  if (wasApproved && revision.status !== 'AWAITING_DEPLOY') return;
  if (!wasApproved) {
    if (revision.status !== 'AWAITING_DEPLOY' || !needsApproval(deps.config, revision))
      throw new NotWaiting(revision.status);
    await inTransaction(deps.db, async (tx) => {
      if (await recordApproval(tx, id, principal.name))
        await recordChange(tx, principal, { action: 'approveRevision', target: `revision/${id}` });
    });
  }
  const isHeard = await deps.workflows.approve(id, principal.name);
  if (!isHeard && !wasApproved) throw new NotWaiting(revision.status);
}

/** Records an approval received by the workflow. Unless the API recorded it, it came from an operator in Temporal. */
export async function noteApproval(tx: Queryable, id: string): Promise<void> {
  if (!(await recordApproval(tx, id, OPERATOR))) return;
  const revision = await findRevision(tx, id);
  const { rows } = await tx.query<{ tenant_id: string }>(
    'select tenant_id from control_plane.deployment where id = $1',
    [revision!.deployment_id],
  );
  const principal: Principal = { tenant_id: rows[0]!.tenant_id, name: OPERATOR, role: 'admin' };
  await recordChange(tx, principal, { action: 'approveRevision', target: `revision/${id}` });
}
