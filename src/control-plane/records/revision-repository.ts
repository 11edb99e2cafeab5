import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import { isTerminal, type RevisionStatus, stepsTo } from './revision-lifecycle.ts';
import type { CanaryPlan } from './canary.ts';
import type { RevisionRow } from './revision.ts';

const COLUMNS = `id, deployment_id, number, source, source_config, source_revision_config, environment, secret_references, status,
  status_message, artifact, own_auth, approved_by, created_by, reason, pinned, canary, remote_reconciled, image_released,
  created_at, updated_at`;

export type NewRevision = Pick<
  RevisionRow,
  | 'id'
  | 'deployment_id'
  | 'source'
  | 'source_config'
  | 'source_revision_config'
  | 'environment'
  | 'secret_references'
  | 'artifact'
  | 'created_by'
  | 'reason'
  | 'pinned'
> & { own_auth?: boolean; canary?: CanaryPlan | null };

/** Inserts a revision as the deployment's latest; the transaction must hold the deployment. */
export async function insertRevision(tx: Queryable, revision: NewRevision): Promise<RevisionRow> {
  const { rows } = await tx.query<RevisionRow>(
    `with deployment as (
       update control_plane.deployment set latest_revision_id = $1, next_number = next_number + 1,
         remote_reconciled = false, version = version + 1, updated_at = clock_timestamp()
       where id = $2 returning next_number - 1 as number),
     created as (
       insert into control_plane.revision (id, deployment_id, number, source, source_config,
         source_revision_config, environment, artifact, created_by, reason, pinned, secret_references, canary,
         own_auth)
       select $1, $2, number, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 from deployment returning ${COLUMNS}),
     step as (insert into control_plane.revision_step (revision_id, status, message)
       select id, status, reason from created)
     select * from created`,
    [
      revision.id,
      revision.deployment_id,
      revision.source,
      JSON.stringify(revision.source_config),
      JSON.stringify(revision.source_revision_config),
      revision.environment,
      revision.artifact,
      revision.created_by,
      revision.reason,
      revision.pinned,
      revision.secret_references && JSON.stringify(revision.secret_references),
      revision.canary ? JSON.stringify(revision.canary) : null,
      revision.own_auth ?? false,
    ],
  );
  return rows[0]!;
}

export async function findRevision(
  db: Queryable,
  id: string,
  deploymentId?: string,
): Promise<RevisionRow | undefined> {
  const where = new Where().andEquals('id', id).andEquals('deployment_id', deploymentId);
  const { rows } = await db.query<RevisionRow>(
    `select ${COLUMNS} from control_plane.revision ${where.text}`,
    where.values,
  );
  return rows[0];
}

/** The revision that was active before `id`. */
export async function findReplaced(db: Queryable, deploymentId: string, id: string): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `select id from control_plane.revision where deployment_id = $1 and id <> $2 and status = 'DEPLOYED'
       and not exists (select from control_plane.canary c
         where c.revision_id = revision.id and c.state <> 'promoted')
     order by number desc limit 1`,
    [deploymentId, id],
  );
  return rows[0]?.id ?? null;
}

export interface RevisionFilter {
  limit: number;
  offset: number;
  statuses?: RevisionStatus[] | undefined;
  remote_reconciled?: boolean | undefined;
}

/** Newest first. */
export async function listRevisions(
  db: Queryable,
  deploymentId: string,
  { limit, offset, statuses, remote_reconciled }: RevisionFilter,
): Promise<RevisionRow[]> {
  const where = new Where()
    .andEquals('deployment_id', deploymentId)
    .andAny('status', statuses)
    .andEquals('remote_reconciled', remote_reconciled);
  const { rows } = await db.query<RevisionRow>(
    `select ${COLUMNS} from control_plane.revision ${where.text} order by created_at desc, id desc
     limit ${where.bind(limit)} offset ${where.bind(offset)}`,
    where.values,
  );
  return rows;
}

/**
 * Takes a legal step and records it. Returns false when the step isn't legal from the current status or was taken
 * already, so that losers of a race change nothing.
 */
export async function stepRevision(
  db: Queryable,
  id: string,
  to: RevisionStatus,
  message: string | null = null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with moved as (
       update control_plane.revision set status = $2, status_message = $4, updated_at = clock_timestamp(),
         remote_reconciled = $5
       where id = $1 and status = any($3) and (status <> $2 or status_message is distinct from $4)
       returning id, deployment_id),
     -- A deployment is as far as its latest revision and the one that serves are.
     marked as (
       update control_plane.deployment d set remote_reconciled = $5 and not exists (
         select from control_plane.revision r where r.id in (d.latest_revision_id, d.active_revision_id)
           and r.id <> moved.id and not r.remote_reconciled)
       from moved where d.id = moved.deployment_id and moved.id in (d.latest_revision_id, d.active_revision_id))
     insert into control_plane.revision_step (revision_id, status, message) select id, $2, $4 from moved`,
    [id, to, stepsTo(to), message, isTerminal(to)],
  );
  return rowCount === 1;
}

/** Stores the result of a build: artifact and commit. */
export async function recordArtifact(
  db: Queryable,
  id: string,
  {
    artifact,
    own_auth,
    repo_commit_sha,
  }: { artifact: string; own_auth?: boolean; repo_commit_sha?: string | undefined },
): Promise<void> {
  await db.query(
    `update control_plane.revision set artifact = $2, own_auth = coalesce($3, own_auth),
       updated_at = clock_timestamp(), source_revision_config = source_revision_config || $4::jsonb where id = $1`,
    [id, artifact, own_auth ?? null, JSON.stringify(repo_commit_sha ? { repo_commit_sha } : {})],
  );
}

/** A revision's status and its deployment's address; undefined when deleted. */
export async function findStanding(db: Queryable, id: string) {
  const { rows } = await db.query<{
    deployment_id: string;
    revision_id: string;
    status: RevisionStatus;
    status_message: string | null;
    url: string | null;
  }>(
    `select r.deployment_id, r.id as revision_id, r.status, r.status_message,
       d.source_config ->> 'custom_url' as url
     from control_plane.revision r join control_plane.deployment d on d.id = r.deployment_id where r.id = $1`,
    [id],
  );
  return rows[0];
}

/** Records the approver; false when it was approved already. */
export async function recordApproval(db: Queryable, id: string, by: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `with approved as (
       update control_plane.revision set approved_by = $2, status_message = 'approved by ' || $2,
         updated_at = clock_timestamp()
       where id = $1 and approved_by is null returning id, status, status_message)
     insert into control_plane.revision_step (revision_id, status, message)
       select id, status, status_message from approved`,
    [id, by],
  );
  return rowCount === 1;
}

export interface RevisionStep {
  status: RevisionStatus;
  message: string | null;
  at: string;
}

/** Every step of the revision, oldest first. */
export async function listSteps(db: Queryable, id: string): Promise<RevisionStep[]> {
  const { rows } = await db.query<RevisionStep>(
    'select status, message, at from control_plane.revision_step where revision_id = $1 order by number',
    [id],
  );
  return rows;
}

/** Adds a timeline entry and status message without changing the status. */
export async function noteStep(db: Queryable, id: string, message: string): Promise<void> {
  await db.query(
    `with noted as (update control_plane.revision set status_message = $2, updated_at = clock_timestamp()
       where id = $1 and status_message is distinct from $2 returning id, status)
     insert into control_plane.revision_step (revision_id, status, message) select id, status, $2 from noted`,
    [id, message],
  );
}

/** Tenants by revision, limited to one tenant unless it is null. */
export async function tenantsOfRevisions(
  db: Queryable,
  tenantId: string | null,
  ids: string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; tenant_id: string }>(
    `select r.id, d.tenant_id from control_plane.revision r
     join control_plane.deployment d on d.id = r.deployment_id
     where ($1::uuid is null or d.tenant_id = $1) and r.id = any($2)`,
    [tenantId, ids],
  );
  return new Map(rows.map(({ id, tenant_id }) => [id, tenant_id]));
}
