import type { Database } from '../../platform/db/database.ts';
import type { DeploymentWorkflows } from '../deployment-workflows.ts';
import { failureOf, type RevisionStatus } from '../records/revision-lifecycle.ts';
import { stepRevision } from '../records/revision-repository.ts';

interface Deps {
  db: Database;
  workflows: DeploymentWorkflows;
}

interface Unfinished {
  id: string;
  deployment_id: string;
  status: RevisionStatus;
  pinned: boolean;
  is_latest: boolean;
}

const AT_ONCE = 500;

/**
 * Recovers revisions that were never submitted because the API died, or whose workflow an operator terminated.
 * Superseded ones are skipped. A revision counts as lost after `forSeconds` without progress. Returns how many were
 * handled.
 */
export async function recoverLostRevisions(
  { db, workflows }: Deps,
  { forSeconds }: { forSeconds: number },
): Promise<number> {
  const { rows } = await db.query<Unfinished>(
    `select r.id, r.deployment_id, r.status, r.pinned, r.id = d.latest_revision_id as is_latest
     from control_plane.revision r join control_plane.deployment d on d.id = r.deployment_id
     where r.status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING')
       and r.updated_at < clock_timestamp() - make_interval(secs => $1) and d.status not like 'AWAITING%DELETE'
     order by r.deployment_id, r.number limit ${AT_ONCE}`,
    [forSeconds],
  );
  let dealtWith = 0;
  for (const revision of rows) if (await recover({ db, workflows }, revision)) dealtWith++;
  return dealtWith;
}

async function recover({ db, workflows }: Deps, revision: Unfinished): Promise<boolean> {
  const { id, deployment_id, status, pinned, is_latest } = revision;
  // An open workflow knows every revision past CREATING.
  if (status !== 'CREATING' && (await workflows.isOpen('deployment', deployment_id))) return false;
  if (await workflows.isOpen('revision', id)) return false;
  if (status !== 'CREATING' && status !== 'QUEUED')
    return stepRevision(db, id, failureOf(status), 'Its workflow was terminated');
  if (!is_latest && !pinned) return stepRevision(db, id, 'SKIPPED', 'superseded before it began');
  await workflows.submit(deployment_id, { revision_id: id, pinned });
  return true;
}

/** Resumes abandoned deletions. Returns how many. */
export async function recoverLostRemovals(
  { db, workflows }: Deps,
  { forSeconds }: { forSeconds: number },
): Promise<number> {
  const { rows } = await db.query<{ id: string }>(
    `select id from control_plane.deployment where status like 'AWAITING%DELETE'
       and updated_at < clock_timestamp() - make_interval(secs => $1) limit ${AT_ONCE}`,
    [forSeconds],
  );
  for (const { id } of rows) await workflows.remove(id);
  return rows.length;
}
