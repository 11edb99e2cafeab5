import { resultOf, watchRevision, type Watched } from './watch-revision.ts';
import type { PlatformApi } from './platform-api.ts';
import type { Result } from './progress.ts';
import { type Revision, revisionPath } from './records.ts';
import { type RevisionRequest, submitRevision } from './submit-revision.ts';

export interface DeployOptions extends Omit<Watched, 'deployment_id' | 'revision_id'> {
  /** Whether to wait for the result of the revision. */
  waits: boolean;
}

/** Creates a revision and watches it until it serves or fails. */
export async function deploy(
  api: PlatformApi,
  request: RevisionRequest,
  options: DeployOptions,
): Promise<Result> {
  const { archive } = request;
  if (archive) {
    const size = (archive.content.length / 1024 / 1024).toFixed(1);
    options.report({
      event: 'info',
      message: `Uploading ${archive.files} files, ${size} MB (sha256 ${archive.sha256.slice(0, 12)})`,
    });
    const [first] = archive.links;
    if (first)
      options.report({
        event: 'warn',
        message: `${archive.links.length} links are left out, among them ${first}`,
      });
  }
  const { wasMade, ...made } = await submitRevision(api, request);
  options.report({
    event: 'info',
    message: wasMade
      ? `Revision ${made.revision_id} of ${request.name}`
      : `Revision ${made.revision_id} of ${request.name} was made by this job before`,
  });
  return options.waits ? watchRevision(api, { ...options, ...made }) : accepted(api, made);
}

/** The current status of a revision, without waiting. */
export async function accepted(
  api: PlatformApi,
  { deployment_id, revision_id }: { deployment_id: string; revision_id: string },
): Promise<Result> {
  return resultOf(api, await api.get<Revision>(revisionPath(deployment_id, revision_id)), 'accepted');
}
