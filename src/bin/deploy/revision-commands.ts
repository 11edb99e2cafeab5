import { Misused } from '../../deploy-client/outcome.ts';
import { deploymentPath, revisionPath } from '../../deploy-client/records.ts';
import { endTrial, findPrevious, redeploy } from '../../deploy-client/rollback.ts';
import { findDeployment } from '../../deploy-client/submit-revision.ts';
import { nameOf } from '../../deploy-client/deployment-name.ts';
import { watchRevision } from '../../deploy-client/watch-revision.ts';
import { askPlatform, type ClientOptions } from './client-command.ts';
import { follow, type WaitOptions } from './deploy.ts';

/** Brings back what served before, or the revision named: what it was built into, with the environment it had. */
export const rollback = (options: WaitOptions & { to?: string }): Promise<void> =>
  askPlatform(options, async (client) => {
    const deployment = await client.deployment();
    const to = options.to ?? (await findPrevious(client.api, deployment));
    client.report({ event: 'info', message: `Deploying again what revision ${to} was built into` });
    const revision_id = await redeploy(client.api, deployment.id, to);
    return follow(client, options, { deployment_id: deployment.id, revision_id });
  });

/** Gives a revision that was tried on a part of the traffic, or none, all of it: without a build. */
export const promote = (revisionId: string, options: WaitOptions): Promise<void> =>
  askPlatform(options, async (client) => {
    const deployment = await client.deployment();
    const { id, active_revision_id } = deployment;
    if (active_revision_id === revisionId) {
      await endTrial(client.api, id, revisionId);
      client.report({ event: 'info', message: `Revision ${revisionId} serves already` });
      return 0;
    }
    const revision_id = await redeploy(client.api, id, revisionId);
    const exitCode = await follow(client, options, { deployment_id: id, revision_id });
    // Not before the same serves all: its part of the threads must not go back to the one before.
    if (exitCode === 0 && options.wait) await endTrial(client.api, id, revisionId);
    return exitCode;
  });

/** Stops a revision on its way, and waits until it has stopped. */
export const interrupt = (revisionId: string, options: ClientOptions): Promise<void> =>
  askPlatform(options, async ({ api, report, deployment }) => {
    const { id } = await deployment();
    await api.post(`${revisionPath(id, revisionId)}/interrupt`);
    const result = await watchRevision(api, {
      deployment_id: id,
      revision_id: revisionId,
      deadlineMs: 60_000,
      followsLogs: false,
      report,
    });
    report(result);
    // That it was stopped is what was asked for.
    return result.outcome === 'interrupted' ? 0 : result.exit_code || 1;
  });

/** Lets a revision that waits for approval go on. */
export const approve = (revisionId: string, options: WaitOptions): Promise<void> =>
  askPlatform(options, async (client) => {
    const { id } = await client.deployment();
    await client.api.post(`${revisionPath(id, revisionId)}/approve`);
    return follow(client, options, { deployment_id: id, revision_id: revisionId });
  });

/** Removes a deployment and everything of it; one that is not there is removed already. */
export const remove = (options: ClientOptions): Promise<void> =>
  askPlatform(options, async ({ api, report }) => {
    if (!options.name && !options.preview) throw new Misused('Name the deployment to delete with --name');
    const name = await nameOf({ name: options.name, folder: '.', preview: options.preview });
    const found = await findDeployment(api, name);
    if (found) await api.delete(deploymentPath(found.id));
    report({ event: 'info', message: found ? `${name} is being deleted` : `There is no ${name}` });
    return 0;
  });
