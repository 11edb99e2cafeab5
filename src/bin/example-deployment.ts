import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../platform/package-root.ts';

const run = promisify(execFile);
const NAME = 'examples';
const POLL_MS = 500;
const MOST_BYTES = 64 * 1024 * 1024;
const UNDER_WAY = /^(CREATING|QUEUED|AWAITING_BUILD|BUILDING|AWAITING_DEPLOY|DEPLOYING|UNKNOWN)$/;

interface Deployment {
  id: string;
  active_revision_id: string | null;
  latest_revision_id: string | null;
}

/** The platform's API, for the holder of a key. Throws with the API's own words. */
class Api {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(new URL(path, this.#url), {
      method,
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}

/**
 * Deploys the example agents as anybody deploys a project: uploaded, built, started, cut over to. One that is deployed
 * already stays. Returns the deployment's id; throws with what went wrong.
 */
export async function deployExamples(
  platform: { url: string; key: string },
  onProgress: (message: string) => void,
): Promise<string> {
  const api = new Api(platform.url, platform.key);
  const found = await api.send<{ resources: Deployment[] }>('GET', `/v2/deployments?name=${NAME}`);
  const deployment =
    found.resources[0] ??
    (await api.send<Deployment>('POST', '/v2/deployments', { name: NAME, source: 'internal_source' }));
  const { id } = deployment;
  if (deployment.active_revision_id) return id;
  const upload = await api.send<{
    upload_url: string;
    object_path: string;
    upload_headers: Record<string, string>;
  }>('POST', `/v2/deployments/${id}/upload-url`, { supports_upload_headers: true });
  const body = await packExamples();
  const stored = await fetch(upload.upload_url, { method: 'PUT', body, headers: upload.upload_headers });
  if (!stored.ok) throw new Error(`The upload answered ${stored.status}: ${await stored.text()}`);
  const { latest_revision_id } = await api.send<Deployment>('PATCH', `/v2/deployments/${id}`, {
    source_revision_config: { source_tarball_path: upload.object_path },
  });
  await settled(api, `/v2/deployments/${id}/revisions/${latest_revision_id}`, onProgress);
  return id;
}

async function packExamples(): Promise<Buffer> {
  const folder = fileURLToPath(new URL('examples/', packageRoot));
  const { stdout } = await run('tar', ['-czf', '-', '--exclude=node_modules', '-C', folder, '.'], {
    encoding: 'buffer',
    maxBuffer: MOST_BYTES,
  });
  return stdout;
}

async function settled(api: Api, path: string, onProgress: (message: string) => void): Promise<void> {
  for (let before = ''; ; await setTimeout(POLL_MS)) {
    const { status, status_message } = await api.send<{ status: string; status_message: string }>(
      'GET',
      path,
    );
    if (status !== before) onProgress(`the example agents: ${status}`);
    before = status;
    if (UNDER_WAY.test(status)) continue;
    if (status !== 'DEPLOYED') throw new Error(`The example agents were not deployed: ${status_message}`);
    return;
  }
}
