import { EXIT, Misused, outcomeOf } from '../../deploy-client/outcome.ts';
import type { PlatformApi } from '../../deploy-client/platform-api.ts';
import { type Deployment, type Revision, revisionPath, type Timeline } from '../../deploy-client/records.ts';
import { askPlatform, type ClientOptions } from './client-command.ts';
import { follow, type WaitOptions } from './deploy.ts';

/** A revision's status and timeline, by default the latest; with --wait, its outcome. */
export const status = (named: string | undefined, options: WaitOptions): Promise<void> =>
  askPlatform(options, async (client) => {
    const deployment = await client.deployment();
    const revision_id = revisionOf(deployment, named);
    if (options.wait) return follow(client, options, { deployment_id: deployment.id, revision_id });
    const revision = await tellStatus(client.api, deployment, revision_id, options);
    return EXIT[outcomeOf(revision.status) ?? 'deployed'];
  });

/** Throws Misused if the deployment has none. */
export function revisionOf({ name, latest_revision_id }: Deployment, named: string | undefined): string {
  const id = named ?? latest_revision_id;
  if (!id) throw new Misused(`${name} has no revision yet`);
  return id;
}

async function tellStatus(
  api: PlatformApi,
  deployment: Deployment,
  id: string,
  { json }: ClientOptions,
): Promise<Revision> {
  const path = revisionPath(deployment.id, id);
  const revision = await api.get<Revision>(path);
  const timeline = await api.get<Timeline>(`${path}/timeline`);
  if (json) {
    console.log(JSON.stringify({ event: 'status', deployment, revision, timeline }));
    return revision;
  }
  const serves = deployment.active_revision_id === id ? ', serves' : '';
  const by = timeline.created_by ? ` by ${timeline.created_by}` : '';
  console.log(`${deployment.name}  ${deployment.source_config.custom_url ?? 'not available yet'}`);
  console.log(`revision ${id}  ${revision.status}${serves}`);
  console.log(`  ${timeline.reason}${by}, ${revision.created_at}`);
  for (const step of timeline.steps) {
    const took = step.duration_ms === null ? '' : `${(step.duration_ms / 1000).toFixed(1)} s`;
    console.log(
      `  ${step.at}  ${step.status.padEnd(16)} ${took.padStart(9)}  ${step.message ?? ''}`.trimEnd(),
    );
  }
  return revision;
}
