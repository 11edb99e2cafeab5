import { inTransaction, type Queryable } from '../../platform/db/database.ts';
import type { Principal } from '../access/principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { NotWaiting } from '../errors.ts';
import { findRevision, recordApproval } from './revision-repository.ts';
import { requireRevision } from './revision-service.ts';
import type { RevisionRow } from './revision.ts';

const OPERATOR = 'an operator of Temporal';

/** Whether somebody must approve it before it may serve: its deployment says so, or the platform of all. */
export const needsApproval = (
  { SLIPWAY_REQUIRE_APPROVAL }: ControlPlaneSettings,
  { source_config, approved_by }: Pick<RevisionRow, 'source_config' | 'approved_by'>,
): boolean =>
  approved_by === null && (SLIPWAY_REQUIRE_APPROVAL || source_config['requires_approval'] === true);

/** Lets a revision go on that waits for it; a second time changes nothing. Throws NotWaiting. */
export async function approve(
  deps: ControlPlaneDeps,
  principal: Principal,
  deploymentId: string,
  id: string,
): Promise<void> {
  const revision = await requireRevision(deps, principal, deploymentId, id);
  if (revision.approved_by !== null) return;
  if (revision.status !== 'AWAITING_DEPLOY' || !needsApproval(deps.config, revision))
    throw new NotWaiting(revision.status);
  await inTransaction(deps.db, (tx) =>
    recordChange(tx, principal, { action: 'approveRevision', target: `revision/${id}` }),
  );
  if (!(await deps.workflows.approve(id, principal.name))) throw new NotWaiting(revision.status);
}

/** What the workflow heard. Without a name nobody has noted it yet. */
export async function noteApproval(tx: Queryable, id: string, by: string | undefined): Promise<void> {
  if (!(await recordApproval(tx, id, by ?? OPERATOR)) || by !== undefined) return;
  const revision = await findRevision(tx, id);
  const { rows } = await tx.query<{ tenant_id: string }>(
    'select tenant_id from control_plane.deployment where id = $1',
    [revision!.deployment_id],
  );
  const principal: Principal = { tenant_id: rows[0]!.tenant_id, name: OPERATOR, role: 'admin' };
  await recordChange(tx, principal, { action: 'approveRevision', target: `revision/${id}` });
}
