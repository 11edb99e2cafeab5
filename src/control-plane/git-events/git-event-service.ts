import { storableText } from '../../platform/storable-text.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { defineError, PublicError } from '../../platform/errors.ts';
import { seededUuid } from '../../platform/ids.ts';
import type { Principal } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import type { DeploymentRow } from '../records/deployment.ts';
import { listFromGit } from '../records/deployment-repository.ts';
import { patchDeployment } from '../deployments/deployment-service.ts';
import type { IntegrationRow } from '../integrations/integration.ts';
import { closePreview, openPreview } from './preview-service.ts';
import { answerDelivery, type Delivery, isOvertaken, rememberDelivery } from './delivery-repository.ts';
import type { ChangeRequest, EventRepository, GitEvent, Push } from './git-event.ts';
import type { DeploymentOutcome, GitEventAnswer } from './git-event-answer.ts';
import { asksToSkip, watches } from './push-filter.ts';
import { repositoryName } from './repository-name.ts';

const LONGEST_NAME = 100;
const OVERTAKEN = 'something newer was heard before it';
const NotApplied = defineError('NotApplied', 409, (reason: string) => reason);

/** An event of a git host, with its identity. */
export interface HeardEvent {
  integration: IntegrationRow;
  delivery_id: string;
  digest: string | null;
  sent_at: Date | undefined;
  event: GitEvent;
}

/**
 * Applies an event to the deployments of the integration's tenant. A repeated event gets the first answer; after a
 * crash it is applied again with the same ids, so nothing is created twice.
 */
export async function handleGitEvent(deps: ControlPlaneDeps, heard: HeardEvent): Promise<GitEventAnswer> {
  const { integration, delivery_id, digest, event } = heard;
  if (event.kind === 'ignored') return unhandled(event.reason);
  const at = heard.sent_at ?? event.at;
  const oldest = Date.now() - deps.config.SLIPWAY_GIT_EVENT_SECONDS * 1000;
  if (at && at.getTime() < oldest) return unhandled('it happened too long ago');
  const delivery: Delivery = {
    integration_id: integration.id,
    delivery_id,
    digest,
    subject: subjectOf(event),
    happened_at: event.at ?? null,
  };
  const known = await rememberDelivery(deps.db, delivery);
  if (known) return known;
  const answer = (await isOvertaken(deps.db, delivery))
    ? unhandled(OVERTAKEN)
    : await handle(deps, heard, event, delivery);
  return answerDelivery(deps.db, delivery, answer);
}

const unhandled = (reason: string): GitEventAnswer => ({ handled: false, reason, deployments: [] });

function subjectOf(event: Push | ChangeRequest): string {
  const [repository = ''] = namesOf(event.repository);
  return storableText(
    event.kind === 'push' ? `${repository} ${event.branch}` : `${repository} #${event.number}`,
  );
}

const namesOf = ({ addresses }: EventRepository): string[] =>
  addresses.map(repositoryName).filter((name) => name !== undefined);

async function handle(
  deps: ControlPlaneDeps,
  { integration, delivery_id }: HeardEvent,
  event: Push | ChangeRequest,
  delivery: Delivery,
): Promise<GitEventAnswer> {
  if (event.kind === 'push' && asksToSkip(event.message)) return unhandled('its message asks to skip');
  const names = new Set(namesOf(event.repository));
  const branch = event.kind === 'push' ? event.branch : event.base;
  const wanted = event.kind === 'push' ? 'build_on_push' : 'preview_pull_requests';
  const candidates = await listFromGit(deps.db, integration, wanted);
  const meant = candidates.filter(
    ({ source_config, source_revision_config }) =>
      names.has(repositoryName(source_config['repo_url']) ?? '') &&
      isOn(branch, source_revision_config?.['repo_ref'], event.repository),
  );
  if (meant.length === 0) return unhandled(`no deployment with ${wanted} is of this repository and branch`);
  const deployments: DeploymentOutcome[] = [];
  for (const deployment of meant) {
    const principal: Principal = {
      tenant_id: integration.tenant_id,
      name: `webhook ${integration.name} (${storableText(event.by).slice(0, LONGEST_NAME)})`,
      role: 'deployer',
      // The same event yields the same ids.
      seed: seededUuid(`${integration.id}/${delivery_id}/${deployment.id}`),
    };
    deployments.push(await handleFor(deps, principal, deployment, event, delivery));
  }
  return { handled: deployments.some(({ handled }) => handled), deployments };
}

/** A deployment without a ref uses the repository's default branch. */
function isOn(branch: string, ref: unknown, { default_branch }: EventRepository): boolean {
  if (typeof ref !== 'string' || ref === '') return branch === default_branch;
  return ref === branch || ref === `refs/heads/${branch}`;
}

async function handleFor(
  deps: ControlPlaneDeps,
  principal: Principal,
  deployment: DeploymentRow,
  event: Push | ChangeRequest,
  delivery: Delivery,
): Promise<DeploymentOutcome> {
  const deployment_id = deployment.id;
  // Again with the deployment locked: a newer event may have changed it since.
  const checkNewest = async (tx: Queryable) => {
    if (await isOvertaken(tx, delivery)) throw new NotApplied(OVERTAKEN);
  };
  try {
    if (event.kind === 'push')
      return { deployment_id, ...(await deployPush(deps, principal, deployment, event, checkNewest)) };
    if (event.state === 'closed')
      return { deployment_id, ...(await closePreview(deps, principal, deployment, event.number)) };
    return { deployment_id, ...(await openPreview(deps, principal, deployment, event, checkNewest)) };
  } catch (error) {
    // A refusal for one deployment doesn't affect the others.
    if (!(error instanceof PublicError) || error.status >= 500) throw error;
    return { deployment_id, handled: false, reason: error.message };
  }
}

async function deployPush(
  deps: ControlPlaneDeps,
  principal: Principal,
  { id, source_config }: DeploymentRow,
  { commit: sha, branch, changed, by }: Push,
  checkNewest: (tx: Queryable) => Promise<void>,
): Promise<Omit<DeploymentOutcome, 'deployment_id'>> {
  const patterns = source_config['watch_paths'];
  if (changed && Array.isArray(patterns) && patterns.length > 0 && !watches(patterns as string[], changed))
    return { handled: false, reason: 'nothing that is watched has changed (watch_paths)' };
  const reason = `${storableText(by).slice(0, LONGEST_NAME)} pushed ${sha.slice(0, 12)} to ${branch}`;
  const check = async (tx: Queryable, { source_revision_config }: DeploymentRow) => {
    await checkNewest(tx);
    // Two webhooks may report the same push.
    if (source_revision_config?.['repo_commit_sha'] === sha)
      throw new NotApplied('the latest revision is of this commit');
  };
  const { revision } = await patchDeployment(deps, principal, id, {}, { commit: { sha, reason }, check });
  return { handled: true, ...(revision && { revision_id: revision.id }) };
}
