import type { CommitReport } from '../../../workflows/deployments/contracts.ts';
import { defineError } from '../../platform/errors.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { repositoryLocation } from '../git-events/repository-name.ts';
import type { IntegrationRow } from '../integrations/integration.ts';
import { findIntegrationOf, openCredentials } from '../integrations/integration-repository.ts';
import type { RevisionRow } from '../records/revision.ts';
import { findRevision } from '../records/revision-repository.ts';
import { type CommitState, commitState } from './commit-state.ts';
import { postToGitHost } from './git-host-client.ts';

/** The host refuses the report for good. */
export const ReportRefused = defineError('ReportRefused', 422, (why: string) => why);
/** The host may accept a retry. */
export const ReportFailed = defineError('ReportFailed', 503, (why: string) => why);

type Deps = Pick<ControlPlaneDeps, 'config' | 'db' | 'box'>;
interface Target {
  integration: IntegrationRow;
  token: string;
  /** Path of the repository on its host. */
  path: string;
  commit: string;
  /** Name of the status on the host. */
  context: string;
}

const LONGEST_DESCRIPTION = 140;

/**
 * Reports the revision's status to its git host, unless it was reported already. Throws ReportRefused and
 * ReportFailed, whose messages contain neither token nor address.
 */
export async function reportCommit(
  deps: Deps,
  { revision_id, reported }: { revision_id: string; reported?: string | undefined },
): Promise<CommitReport> {
  const revision = await findRevision(deps.db, revision_id);
  const target = revision && (await targetOf(deps, revision));
  if (!target) return { state: 'not reported', is_final: true };
  const state = commitState(revision.status);
  const word = target.integration.kind === 'github' ? state.github : state.gitlab;
  const report = { state: word, is_final: state.is_final };
  if (word !== reported) await post(deps, revision, target, state);
  return report;
}

/** Undefined for a revision without a commit or a token for its host. */
export async function targetOf(
  { db, box }: Omit<Deps, 'config'>,
  revision: RevisionRow,
): Promise<Target | undefined> {
  const { deployment_id, source_config, source_revision_config } = revision;
  const commit = source_revision_config['repo_commit_sha'];
  const location = repositoryLocation(source_config['repo_url']);
  if (typeof commit !== 'string' || !location) return undefined;
  const integration = await findIntegrationOf(db, deployment_id, source_config['integration_id']);
  if (!integration) return undefined;
  const { token } = openCredentials(box, integration);
  const home = new URL(integration.url);
  if (!token || location.host !== home.hostname.toLowerCase()) return undefined;
  const base = `${home.pathname.replace(/^\/+|\/+$/g, '')}/`;
  const path =
    base !== '/' && location.path.startsWith(base) ? location.path.slice(base.length) : location.path;
  const { rows } = await db.query<{ name: string }>(
    'select name from control_plane.deployment where id = $1',
    [deployment_id],
  );
  return { integration, token, path, commit, context: `slipway/${rows[0]?.name ?? deployment_id}` };
}

async function post(
  { config }: Deps,
  { id, deployment_id }: RevisionRow,
  { integration, token, path, commit, context }: Target,
  state: CommitState,
): Promise<void> {
  const shared = {
    target_url: `${config.SLIPWAY_PUBLIC_URL}/deployments/${deployment_id}/revisions/${id}`,
    description: `The revision ${state.description}`.slice(0, LONGEST_DESCRIPTION),
  };
  const isGithub = integration.kind === 'github';
  const url = isGithub
    ? `${integration.api_url}/repos/${path.split('/').map(encodeURIComponent).join('/')}/statuses/${commit}`
    : `${integration.api_url}/projects/${encodeURIComponent(path)}/statuses/${commit}`;
  const body = isGithub
    ? { state: state.github, context, ...shared }
    : { state: state.gitlab, name: context, ...shared };
  const { status, text, is_limited } = await postToGitHost(config, { url, token, body });
  if (status >= 200 && status < 300) return;
  // GitLab refuses to set the status it already has.
  if (status === 400 && text.includes('Cannot transition status')) return;
  const why = `The git host answered ${status}`;
  throw status >= 500 || status === 408 || status === 429 || is_limited
    ? new ReportFailed(why)
    : new ReportRefused(why);
}
