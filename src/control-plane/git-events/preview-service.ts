import { inTransaction, type Queryable } from '../../platform/db/database.ts';
import { defineError } from '../../platform/errors.ts';
import { newId, type Principal } from '../principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import type { DeploymentRow } from '../records/deployment.ts';
import { findDeployment, insertDeployment } from '../records/deployment-repository.ts';
import {
  addRevision,
  carriedSecrets,
  holdDeployment,
  patchDeployment,
  removeDeployment,
} from '../deployments/deployment-service.ts';
import { checkQuota } from '../deployments/quota.ts';
import { NameTaken } from '../errors.ts';
import type { ChangeRequest } from './git-event.ts';
import type { DeploymentOutcome } from './git-event-answer.ts';
import type { RevisionRow } from '../records/revision.ts';
import { findPreview, listPreviews } from '../records/preview-repository.ts';

const TooManyPreviews = defineError(
  'TooManyPreviews',
  403,
  (most: number) => `The deployment has reached its limit of ${most} previews.`,
);
type Outcome = Omit<DeploymentOutcome, 'deployment_id'>;
const LONGEST_NAME = 63;
const MOST_NAMES = 20;
// Keys of the parent that a preview doesn't inherit.
const NOT_CARRIED = ['custom_url', 'preview_pull_requests', 'preview_forks', 'watch_paths'];

/**
 * Creates or updates the deployment of a pull request at its head commit, with the parent's current environment.
 * Throws TooManyPreviews, QuotaReached, BeingDeleted.
 */
export async function openPreview(
  deps: ControlPlaneDeps,
  principal: Principal,
  parent: DeploymentRow,
  change: ChangeRequest,
  check: (tx: Queryable) => Promise<void>,
): Promise<Outcome> {
  // Anyone who can open a pull request could read the environment.
  if (change.is_fork && parent.source_config['preview_forks'] !== true)
    return { handled: false, reason: 'it comes from a fork (preview_forks)' };
  const sha = change.commit;
  const reason = `pull request ${change.number} at ${sha.slice(0, 12)}`;
  const known = await findPreview(deps.db, parent.id, change.number);
  const from = { principal, parent_id: parent.id, change, reason, check };
  const { id, created } = known
    ? { id: known }
    : await inTransaction(deps.db, (tx) => createPreview(deps, tx, from));
  if (created) {
    await deps.workflows.submit(id, { revision_id: created.id, pinned: created.pinned });
    return { handled: true, preview_id: id, revision_id: created.id };
  }
  const patch = { secrets: carriedSecrets(deps, parent), secrets_mode: 'replace' as const };
  const { revision } = await patchDeployment(deps, principal, id, patch, { commit: { sha, reason }, check });
  return { handled: true, preview_id: id, ...(revision && { revision_id: revision.id }) };
}

/** Creates nothing if another event has created the preview meanwhile. */
async function createPreview(
  deps: ControlPlaneDeps,
  tx: Queryable,
  from: {
    principal: Principal;
    parent_id: string;
    change: ChangeRequest;
    reason: string;
    check: (tx: Queryable) => Promise<void>;
  },
): Promise<{ id: string; created?: RevisionRow }> {
  const { principal, change, reason } = from;
  const { tenant_id } = principal;
  const parent = await holdDeployment(tx, principal, from.parent_id);
  await from.check(tx);
  const id = newId(principal, 'deployment');
  const known = await findPreview(tx, parent.id, change.number);
  if (known && known !== id) return { id: known };
  const source_config = {
    ...Object.fromEntries(Object.entries(parent.source_config).filter(([key]) => !NOT_CARRIED.includes(key))),
    build_on_push: false,
  };
  const isThere = (await findDeployment(tx, tenant_id, id)) !== undefined;
  if (!isThere) {
    const most = deps.config.SLIPWAY_PREVIEWS;
    if ((await listPreviews(tx, parent.id)).length >= most) throw new TooManyPreviews(most);
    await checkQuota(deps, tx, tenant_id);
    const preview = { is_preview: true, preview_of: parent.id, preview_number: change.number };
    const row = { id, tenant_id, source: parent.source, source_config, ...preview };
    await insertNamed(tx, row, `${parent.name}-pr-${change.number}`);
  }
  const { graph_config_path } = parent.source_revision_config ?? {};
  const revision = await addRevision(deps, tx, {
    deployment_id: id,
    principal,
    reason,
    plan: {
      source_config,
      revision: {
        source: parent.source,
        source_revision_config: {
          ...(graph_config_path !== undefined && { graph_config_path }),
          repo_ref: change.ref,
          repo_commit_sha: change.commit,
        },
        secrets: carriedSecrets(deps, parent),
        secret_references: null,
      },
    },
  });
  const detail = { preview_of: parent.id, pull_request: change.number, commit: change.commit };
  await recordChange(tx, principal, { action: 'createPreview', target: `deployment/${id}`, detail });
  return { id, created: revision! };
}

/** The previous preview may still hold the name while it is being deleted. Throws NameTaken. */
async function insertNamed(
  tx: Queryable,
  row: Omit<Parameters<typeof insertDeployment>[1], 'name'>,
  wanted: string,
): Promise<void> {
  const suffix = /-pr-\d+$/.exec(wanted)![0];
  for (let count = 1; count <= MOST_NAMES; count++) {
    const end = count === 1 ? suffix : `${suffix}-${count}`;
    const name = wanted.slice(0, -suffix.length).slice(0, LONGEST_NAME - end.length) + end;
    if (await insertDeployment(tx, { ...row, name })) return;
  }
  throw new NameTaken(wanted);
}

/** Deletes the deployment of a closed pull request. */
export async function closePreview(
  deps: ControlPlaneDeps,
  principal: Principal,
  parent: DeploymentRow,
  number: number,
): Promise<Outcome> {
  const known = await inTransaction(deps.db, async (tx) => {
    // Waits for an event that is creating it.
    await holdDeployment(tx, principal, parent.id);
    return findPreview(tx, parent.id, number);
  });
  if (!known) return { handled: false, reason: 'it has no preview' };
  await removeDeployment(deps, principal, known);
  return { handled: true, preview_id: known };
}
