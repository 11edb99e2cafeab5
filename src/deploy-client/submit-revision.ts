import { createHash, randomUUID } from 'node:crypto';
import type { Variable } from './environment-options.ts';
import { outcomeOf } from './outcome.ts';
import { type PlatformApi, Refused } from './platform-api.ts';
import type { ProjectArchive } from './project-archive.ts';
import { type Deployment, deploymentPath, type Revision, revisionPath } from './records.ts';

const KEPT_MS = 24 * 3_600_000;

/** Content of a new revision. */
export interface RevisionRequest {
  name: string;
  source: 'internal_source' | 'git_host' | 'external_container';
  source_config: Record<string, unknown>;
  source_revision_config: Record<string, unknown>;
  /** The whole environment; undefined inherits that of the previous revision. */
  secrets: Variable[] | undefined;
  reason: string | undefined;
  is_preview: boolean;
  /** The packed project, if the source is local. */
  archive: ProjectArchive | undefined;
  /** Identifies the CI job: a retry of the same job gets the same revision. */
  job: string | undefined;
}

/** The deployment with this name; undefined if there is none. */
export async function findDeployment(api: PlatformApi, name: string): Promise<Deployment | undefined> {
  const { resources } = await api.get<{ resources: Deployment[] }>(
    `/v2/deployments?name=${encodeURIComponent(name)}`,
  );
  return resources[0];
}

/**
 * Creates the revision, and its deployment if missing. A retried job gets the revision it created, unless that one
 * failed.
 */
export async function submitRevision(
  api: PlatformApi,
  request: RevisionRequest,
): Promise<{ deployment_id: string; revision_id: string; wasMade: boolean }> {
  const found = await findDeployment(api, request.name);
  const created = await create(api, request, found);
  const deployment = created?.deployment ?? found ?? (await findDeployment(api, request.name));
  if (!deployment) throw new Refused(404, `There is no deployment named '${request.name}'`);
  const { id } = deployment;
  if (created && deployment.latest_revision_id) {
    const revision_id = deployment.latest_revision_id;
    const made = { deployment_id: id, revision_id, wasMade: !created.replayed };
    if (!created.replayed || !(await hasFailed(api, id, revision_id))) return made;
  }
  const tarball = await upload(api, id, request.archive);
  const body = {
    source_config: request.source_config,
    source_revision_config: { ...request.source_revision_config, ...tarball },
    ...(request.secrets && { secrets: request.secrets, secrets_mode: 'replace' }),
    ...(deployment.source !== request.source && { revision_source: request.source }),
    ...(request.reason && { reason: request.reason }),
  };
  for (let key = keyOf(request.job, [id, body]); ;) {
    const { body: revision, replayed } = await api.once<Revision>(
      'POST',
      `${deploymentPath(id)}/revisions`,
      body,
      key,
    );
    if (!replayed || !(await hasFailed(api, id, revision.id)))
      return { deployment_id: id, revision_id: revision.id, wasMade: !replayed };
    // It failed: retry once.
    key = keyOf(request.job, [key, revision.id]);
  }
}

/** Creates the deployment if missing; also detects that this job created it, while the platform remembers. */
async function create(
  api: PlatformApi,
  { name, source, source_config, source_revision_config, secrets = [], job, is_preview }: RevisionRequest,
  found: Deployment | undefined,
): Promise<{ deployment: Deployment; replayed: boolean } | undefined> {
  const startsAtOnce = source !== 'internal_source';
  const mayBeOurs = found && job && startsAtOnce && Date.parse(found.created_at) > Date.now() - KEPT_MS;
  if (found && !mayBeOurs) return undefined;
  const body = {
    name,
    source,
    source_config,
    secrets,
    is_preview,
    ...(startsAtOnce && { source_revision_config }),
  };
  try {
    const answer = await api.once<Deployment>('POST', '/v2/deployments', body, keyOf(job, ['create', body]));
    return { deployment: answer.body, replayed: answer.replayed };
  } catch (error) {
    // Another job created it.
    if (error instanceof Refused && (found || error.status === 409)) return undefined;
    throw error;
  }
}

async function upload(
  api: PlatformApi,
  id: string,
  archive: ProjectArchive | undefined,
): Promise<{ source_tarball_path: string } | undefined> {
  if (!archive) return undefined;
  const { upload_url, object_path, upload_headers } = await api.post<{
    upload_url: string;
    object_path: string;
    upload_headers: Record<string, string>;
  }>(`${deploymentPath(id)}/upload-url`, { supports_upload_headers: true, sha256: archive.sha256 });
  await api.upload(upload_url, archive.content, upload_headers);
  return { source_tarball_path: object_path };
}

async function hasFailed(api: PlatformApi, deploymentId: string, id: string): Promise<boolean> {
  const { status } = await api.get<Revision>(revisionPath(deploymentId, id));
  const outcome = outcomeOf(status);
  return outcome !== undefined && outcome !== 'deployed';
}

/** Stable for the same request of the same job; random without a job. */
const keyOf = (job: string | undefined, about: unknown): string =>
  job
    ? createHash('sha256')
        .update(JSON.stringify([job, about]))
        .digest('hex')
    : randomUUID();
