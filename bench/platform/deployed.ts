import { deploy } from '../../src/deploy-client/deploy.ts';
import type { PlatformApi } from '../../src/deploy-client/platform-api.ts';
import { packProject } from '../../src/deploy-client/project-archive.ts';
import { type Deployment, revisionPath } from '../../src/deploy-client/records.ts';
import { until } from '../pacing.ts';
import { WrongAnswer } from '../scenario.ts';

const DEADLINE_MS = 300_000;

/** Uploads a project and waits until it is DEPLOYED. Returns its revision. */
export async function deployFolder(
  api: PlatformApi,
  folder: string,
  { name, type }: { name: string; type?: string },
): Promise<{ deployment_id: string; revision_id: string }> {
  const { outcome, deployment_id, revision_id, status_message } = await deploy(
    api,
    {
      name,
      source: 'internal_source',
      source_config: type ? { deployment_type: type } : {},
      source_revision_config: {},
      secrets: undefined,
      reason: 'measured',
      is_preview: false,
      archive: await packProject(folder),
      job: undefined,
    },
    { waits: true, followsLogs: false, deadlineMs: DEADLINE_MS, report() {} },
  );
  if (outcome !== 'deployed' || !revision_id) throw new WrongAnswer(`${outcome}: ${status_message}`);
  return { deployment_id, revision_id };
}

/** Redeploys a revision's build; resolves when the gateway responds from the new revision. */
export async function rollBack(api: PlatformApi, deploymentId: string, revisionId: string): Promise<string> {
  const path = `${revisionPath(deploymentId, revisionId)}/redeploy`;
  const { latest_revision_id } = await api.post<Deployment>(path);
  await until(
    'the rollback answers',
    DEADLINE_MS,
    async () => (await served(api, deploymentId)) === latest_revision_id,
    20,
  );
  return latest_revision_id!;
}

/** The revision that responds for a deployment. */
export async function served(api: PlatformApi, deploymentId: string): Promise<string> {
  const answer = await fetch(`${api.url}/d/${deploymentId}/ok`);
  await answer.arrayBuffer();
  if (!answer.ok) throw new WrongAnswer(`the gateway answered ${answer.status}`);
  return answer.headers.get('x-slipway-revision') ?? 'nobody';
}

/** When a revision reached a status, in ms since 1970. */
export async function stepTime(
  api: PlatformApi,
  id: string,
  revisionId: string,
  status: string,
): Promise<number> {
  const { steps } = await api.get<{ steps: { status: string; at: string }[] }>(
    `${revisionPath(id, revisionId)}/timeline`,
  );
  const step = steps.find((taken) => taken.status === status);
  if (!step) throw new WrongAnswer(`revision ${revisionId} was never ${status}`);
  return Date.parse(step.at);
}
