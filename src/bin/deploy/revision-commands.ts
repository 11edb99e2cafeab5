import { type Canary, canaryEnd, isWatched, listWatched, steerCanary } from '../../deploy-client/canary.ts';
import { readDuration } from '../../deploy-client/duration.ts';
import { EXIT, Misused } from '../../deploy-client/outcome.ts';
import { deploymentPath, type Revision, revisionPath } from '../../deploy-client/records.ts';
import { endTrial, findPrevious, redeploy } from '../../deploy-client/rollback.ts';
import { findDeployment } from '../../deploy-client/submit-revision.ts';
import { nameOf } from '../../deploy-client/deployment-name.ts';
import { resultOf, watchRevision } from '../../deploy-client/watch-revision.ts';
import { askPlatform, type Client, type ClientOptions } from './client-command.ts';
import { follow, type WaitOptions } from './deploy.ts';

const INTERRUPT_MS = 60_000;

/**
 * Redeploys the previous revision, or the one named, with its artifact and environment. While a canary runs, the
 * previous revision is still active, so it only ends the canary unless a revision is named.
 */
export const rollback = (options: WaitOptions & { to?: string }): Promise<void> =>
  askPlatform(options, async (client) => {
    const deployment = await client.deployment();
    const tried = await listWatched(client.api, deployment.id);
    for (const revision_id of tried) {
      client.report({ event: 'info', message: `Ending the canary of revision ${revision_id}` });
      const code = await endTrialOf(client, options, { deployment_id: deployment.id, revision_id }, 'abort');
      if (code !== 0) return code;
    }
    if (tried.length > 0 && !options.to) return 0;
    const to = options.to ?? (await findPrevious(client.api, deployment));
    client.report({ event: 'info', message: `Redeploying the artifact of revision ${to}` });
    const revision_id = await redeploy(client.api, deployment.id, to);
    return follow(client, options, { deployment_id: deployment.id, revision_id });
  });

/**
 * Gives a canary all traffic at once. A revision that is no longer a canary, or no longer runs, is redeployed without
 * a build.
 */
export const promote = (revisionId: string, options: WaitOptions): Promise<void> =>
  askPlatform(options, async (client) => {
    const deployment = await client.deployment();
    const { id, active_revision_id } = deployment;
    if (active_revision_id === revisionId) {
      await endTrial(client.api, id, revisionId);
      client.report({ event: 'info', message: `Revision ${revisionId} is already active` });
      return 0;
    }
    const canary = { deployment_id: id, revision_id: revisionId };
    if (await isWatched(client.api, canary)) return endTrialOf(client, options, canary, 'promote');
    const revision_id = await redeploy(client.api, id, revisionId);
    const exitCode = await follow(client, options, { deployment_id: id, revision_id });
    // Only once it is active: its share of the threads must not return to the previous revision.
    if (exitCode === 0 && options.wait) await endTrial(client.api, id, revisionId);
    return exitCode;
  });

/** Signals a canary and watches it as the options ask; returns the exit code. */
async function endTrialOf(
  { api, report }: Client,
  { wait, deadline }: Pick<WaitOptions, 'wait' | 'deadline'>,
  named: { deployment_id: string; revision_id: string },
  action: 'promote' | 'abort',
): Promise<number> {
  await steerCanary(api, named, action);
  const wished: Canary['state'] = action === 'promote' ? 'promoted' : 'aborted';
  const { outcome, reason } = wait
    ? await canaryEnd(api, named, { wished, deadlineMs: readDuration(deadline) })
    : { outcome: 'accepted' as const, reason: null };
  const revision = await api.get<Revision>(revisionPath(named.deployment_id, named.revision_id));
  const result = await resultOf(api, { ...revision, status_message: reason }, outcome);
  report(result);
  return result.exit_code;
}

/** Interrupts a revision or canary and waits until it has stopped. */
export const interrupt = (revisionId: string, options: ClientOptions): Promise<void> =>
  askPlatform(options, async ({ api, report, deployment }) => {
    const { id } = await deployment();
    const canary = { deployment_id: id, revision_id: revisionId };
    if (await isWatched(api, canary)) {
      await api.post(`${revisionPath(id, revisionId)}/interrupt`);
      const { outcome, reason } = await canaryEnd(api, canary, {
        wished: 'aborted',
        deadlineMs: INTERRUPT_MS,
      });
      report({ event: 'info', message: `Revision ${revisionId} is no longer a canary: ${reason}` });
      return EXIT[outcome];
    }
    await api.post(`${revisionPath(id, revisionId)}/interrupt`);
    const result = await watchRevision(api, {
      deployment_id: id,
      revision_id: revisionId,
      deadlineMs: INTERRUPT_MS,
      followsLogs: false,
      report,
    });
    report(result);
    // The interruption was the request.
    return result.outcome === 'interrupted' ? 0 : result.exit_code || 1;
  });

/** Approves a waiting revision or a canary's next step. */
export const approve = (revisionId: string, options: WaitOptions): Promise<void> =>
  askPlatform(options, async (client) => {
    const { id } = await client.deployment();
    const canary = { deployment_id: id, revision_id: revisionId };
    if (await isWatched(client.api, canary)) {
      await steerCanary(client.api, canary, 'approve');
      return 0;
    }
    await client.api.post(`${revisionPath(id, revisionId)}/approve`);
    return follow(client, options, { deployment_id: id, revision_id: revisionId });
  });

/** Deletes a deployment; a missing one counts as deleted. */
export const remove = (options: ClientOptions): Promise<void> =>
  askPlatform(options, async ({ api, report }) => {
    if (!options.name && !options.preview) throw new Misused('Name the deployment to delete with --name');
    const name = await nameOf({ name: options.name, folder: '.', preview: options.preview });
    const found = await findDeployment(api, name);
    if (found) await api.delete(deploymentPath(found.id));
    report({ event: 'info', message: found ? `${name} is being deleted` : `There is no deployment ${name}` });
    return 0;
  });
