import { fileURLToPath } from 'node:url';
import { deploy } from '../deploy-client/deploy.ts';
import { PlatformApi } from '../deploy-client/platform-api.ts';
import { packProject } from '../deploy-client/project-archive.ts';
import { findDeployment } from '../deploy-client/submit-revision.ts';
import { packageRoot } from '../platform/package-root.ts';

const NAME = 'examples';
const DEADLINE_MS = 3_600_000;

/**
 * Deploys the example agents like any project: upload, build, start, cut over. Keeps an existing deployment. Returns
 * its id, or throws the reason.
 */
export async function deployExamples(
  platform: { url: string; key: string },
  onProgress: (message: string) => void,
): Promise<string> {
  const api = new PlatformApi(platform);
  const found = await findDeployment(api, NAME);
  if (found?.active_revision_id) return found.id;
  const { outcome, deployment_id, status, status_message } = await deploy(
    api,
    {
      name: NAME,
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
      secrets: undefined,
      reason: 'the first start',
      is_preview: false,
      archive: await packProject(fileURLToPath(new URL('examples/', packageRoot))),
      job: undefined,
    },
    {
      waits: true,
      followsLogs: false,
      deadlineMs: DEADLINE_MS,
      report(progress) {
        if (progress.event === 'status_change') onProgress(`the example agents: ${progress.status}`);
      },
    },
  );
  if (outcome !== 'deployed')
    throw new Error(`The example agents were not deployed: ${status_message ?? status}`);
  return deployment_id;
}
