import { inTransaction, type Queryable } from '../../platform/db/database.ts';
import { newId, type Principal } from '../principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import { checkRunnable } from './image-check.ts';
import { canaryPlan } from '../records/canary.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { BeingDeleted, ChangedMeanwhile, DeploymentNotFound, NameTaken } from '../errors.ts';
import { checkListener } from '../listeners/listener-check.ts';
import { pinImage } from '../registry/pushed-image.ts';
import { findRevision, insertRevision } from '../records/revision-repository.ts';
import {
  type Create,
  type Patch,
  type Plan,
  planCreate,
  planPatch,
  unchangedRevision,
} from './revision-plan.ts';
import type { RevisionRow } from '../records/revision.ts';
import { checkSecrets, openEnvironment, sealEnvironment, type Secret } from '../secrets/environment.ts';
import { listPreviews } from '../records/preview-repository.ts';
import { checkUploaded } from '../uploads/upload-check.ts';
import type { DeploymentRow } from '../records/deployment.ts';
import { checkQuota } from './quota.ts';
import { auditDetail } from './audit-detail.ts';
import {
  findDeployment,
  insertDeployment,
  setDeploymentStatus,
  updateDeployment,
} from '../records/deployment-repository.ts';

/** Throws DeploymentNotFound, for other tenants' deployments too. */
export async function requireDeployment(
  db: Queryable,
  { tenant_id }: Pick<Principal, 'tenant_id'>,
  id: string,
  options: { lock?: boolean } = {},
): Promise<DeploymentRow> {
  const deployment = await findDeployment(db, tenant_id, id, options);
  if (!deployment) throw new DeploymentNotFound(id);
  return deployment;
}

/** Locks the deployment for a change. Throws DeploymentNotFound, BeingDeleted. */
export async function holdDeployment(
  tx: Queryable,
  principal: Principal,
  id: string,
): Promise<DeploymentRow> {
  const deployment = await requireDeployment(tx, principal, id, { lock: true });
  if (deployment.status === 'AWAITING_DELETE' || deployment.status === 'AWAITING_FINAL_DELETE')
    throw new BeingDeleted(id);
  return deployment;
}

/**
 * Creates a deployment and, if its source allows, its first revision. Throws NameTaken, QuotaReached, ListenerNeeded,
 * InvalidFields.
 */
export async function createDeployment(
  deps: ControlPlaneDeps,
  principal: Principal,
  create: Create,
): Promise<DeploymentRow> {
  checkSecrets(create.secrets ?? []);
  const plan = planCreate(create);
  checkRunnable(deps.config, plan.source, 'source');
  const id = newId(principal, 'deployment');
  const { tenant_id } = principal;
  const { name, access = 'private', is_preview = false } = create;
  const revision = await inTransaction(deps.db, async (tx) => {
    const { source, source_config } = plan;
    await checkListener(tx, principal, plan);
    await checkQuota(deps, tx, tenant_id);
    const row = { id, tenant_id, name, source, source_config, access, is_preview };
    const inserted = await insertDeployment(tx, row);
    // The request may be a retry after a crash.
    if (!inserted && !(principal.seed && (await findDeployment(tx, tenant_id, id))))
      throw new NameTaken(name);
    const added = await addRevision(deps, tx, {
      deployment_id: id,
      plan,
      principal,
      reason: 'created with the deployment',
    });
    const target = `deployment/${id}`;
    await recordChange(tx, principal, {
      action: 'createDeployment',
      target,
      detail: auditDetail(create, added),
    });
    return added;
  });
  await handOver(deps, revision);
  return requireDeployment(deps.db, principal, id);
}

export interface PatchOptions {
  version?: number | undefined;
  /** Makes a revision even if nothing changed. */
  always?: boolean;
  /** Builds this commit instead of the branch's head. */
  commit?: { sha: string; reason: string };
  /** Throws if the change no longer applies to the locked deployment. */
  check?: (tx: Queryable, before: DeploymentRow) => Promise<void>;
}

/**
 * Changes a deployment, and makes a revision if the patch affects one. Throws DeploymentNotFound, InvalidFields, and
 * ChangedMeanwhile when `version` is stale.
 */
export async function patchDeployment(
  deps: ControlPlaneDeps,
  principal: Principal,
  id: string,
  patch: Patch,
  { version, commit, always = commit !== undefined, check }: PatchOptions = {},
): Promise<{ deployment: DeploymentRow; revision: RevisionRow | undefined }> {
  checkSecrets(patch.secrets ?? []);
  const revision = await inTransaction(deps.db, async (tx) => {
    const before = await holdDeployment(tx, principal, id);
    if (version !== undefined && version !== before.version) throw new ChangedMeanwhile();
    await check?.(tx, before);
    await checkUploaded(deps.config, id, patch.source_revision_config?.source_tarball_path);
    const carried = carriedSecrets(deps, before);
    const plan = planPatch(before, patch, carried);
    if (plan.revision) checkRunnable(deps.config, plan.revision.source, 'revision_source');
    if (always) plan.revision ??= unchangedRevision(before, carried);
    if (commit) plan.revision!.source_revision_config['repo_commit_sha'] = commit.sha;
    if (plan.revision?.source === 'internal_container') {
      const config = plan.revision.source_revision_config;
      config['image_uri'] = await pinImage(deps.config, before, config['image_uri']);
    }
    const { source_config } = plan;
    await updateDeployment(tx, {
      id,
      display_name: patch.display_name ?? before.display_name,
      access: patch.access ?? before.access,
      source_config,
    });
    const reason = commit?.reason ?? (patch.reason || 'changed');
    const { canary } = patch;
    const added = await addRevision(deps, tx, { deployment_id: id, plan, principal, reason, canary });
    const detail = { ...auditDetail(patch, added), ...(commit && { commit: commit.sha, reason }) };
    await recordChange(tx, principal, { action: 'patchDeployment', target: `deployment/${id}`, detail });
    return added;
  });
  await handOver(deps, revision);
  return { deployment: await requireDeployment(deps.db, principal, id), revision };
}

/** When a request is retried, its revision may be past CREATING: then its workflow has it already. */
async function handOver({ workflows }: ControlPlaneDeps, revision: RevisionRow | undefined): Promise<void> {
  if (revision?.status !== 'CREATING') return;
  const { deployment_id, id, pinned } = revision;
  await workflows.submit(deployment_id, { revision_id: id, pinned });
}

/** Answers at once; the deletion continues in the background. Throws DeploymentNotFound. */
export async function removeDeployment(
  deps: ControlPlaneDeps,
  principal: Principal,
  id: string,
): Promise<void> {
  const previews = await inTransaction(deps.db, async (tx) => {
    const { status } = await requireDeployment(tx, principal, id, { lock: true });
    // Now, because the deletion removes the link from deployment to previews.
    const listed = await listPreviews(tx, id);
    if (status === 'AWAITING_DELETE' || status === 'AWAITING_FINAL_DELETE') return listed;
    await setDeploymentStatus(tx, id, 'AWAITING_DELETE');
    await recordChange(tx, principal, { action: 'deleteDeployment', target: `deployment/${id}` });
    return listed;
  });
  await deps.workflows.remove(id);
  for (const preview of previews)
    await removeDeployment(deps, principal, preview).catch((error: unknown) => {
      // Its pull request was closed meanwhile.
      if (!(error instanceof DeploymentNotFound)) throw error;
    });
}

/** The environment of the latest revision. */
export const carriedSecrets = (
  { box }: Pick<ControlPlaneDeps, 'box'>,
  { latest_revision_id, environment }: DeploymentRow,
): Secret[] =>
  latest_revision_id && environment ? openEnvironment(box, latest_revision_id, environment) : [];

/** Records a planned revision; a retry of the request finds the one it made. */
export async function addRevision(
  { box }: Pick<ControlPlaneDeps, 'box'>,
  tx: Queryable,
  from: {
    deployment_id: string;
    plan: Plan;
    principal: Principal;
    reason: string;
    canary?: Patch['canary'];
  },
): Promise<RevisionRow | undefined> {
  const { plan, deployment_id, principal, reason, canary } = from;
  if (!plan.revision) return undefined;
  const { source, source_revision_config, secrets, secret_references } = plan.revision;
  const id = newId(principal, 'revision');
  const known = principal.seed ? await findRevision(tx, id, deployment_id) : undefined;
  if (known) return known;
  return insertRevision(tx, {
    id,
    deployment_id,
    source,
    source_config: plan.source_config,
    source_revision_config,
    environment: sealEnvironment(box, id, secrets),
    secret_references,
    artifact: null,
    created_by: principal.name,
    reason,
    pinned: false,
    canary: canary ? canaryPlan(canary) : null,
  });
}
