import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { removeDeployment } from '../../src/control-plane/deployments/deployment-service.ts';
import { sweepRecords } from '../../src/control-plane/maintenance/sweep-records.ts';
import { Caller } from '../support/control-plane-caller.ts';
import {
  githubPullRequest,
  githubPush,
  gitlabPush,
  type Hook,
  type Repo,
  sha,
  tellGithub,
  tellGitlab,
} from '../support/git-events.ts';
import { useControlPlane } from '../support/use-control-plane.ts';
import { until } from '../support/until.ts';

interface CommitPost {
  url: string;
  authorization: string | undefined;
  body: any;
}

const posts: CommitPost[] = [];
/** The git host's responses for a commit until it recovers. */
const troubles = new Map<string, number[]>();
let host: Server;
let hostUrl: string;

const plane = useControlPlane({
  SLIPWAY_PREVIEWS: '2',
  SLIPWAY_GIT_PRIVATE_ADDRESSES: 'true',
  SLIPWAY_GIT_PROTOCOLS: 'https,http',
});
let admin: Caller;

beforeAll(async () => {
  admin = new Caller(plane.url, { 'x-api-key': await plane.key('admin') });
  host = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      posts.push({ url: request.url!, authorization: request.headers.authorization, body });
      response.statusCode = troubles.get(request.url!.split('/').at(-1)!)?.shift() ?? 201;
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => host.once('listening', resolve));
  hostUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
});
afterAll(() => {
  host.close();
});

async function integrate(kind: string, more: object = {}): Promise<Hook & { id: string }> {
  const body = { name: `acme-${randomUUID()}`, kind, ...more };
  const { json } = await admin.post('/v2/integrations', body);
  const rotated = await admin.post(`/v2/integrations/${json.id}/webhook-secret`, {});
  const { pathname } = new URL(rotated.json.webhook_url);
  return { id: json.id, webhook_url: plane.url + pathname, secret: rotated.json.webhook_secret };
}

const newRepo = (): Repo => ({ owner: 'Acme', name: `agent-${randomUUID().slice(0, 8)}` });

async function deploy(repo: Repo, source_config: object = {}, name: string = repo.name) {
  const { json, status, text } = await admin.post('/v2/deployments', {
    name,
    source: 'git_host',
    source_config: { repo_url: `https://git.example.com/${repo.owner}/${repo.name}.git`, ...source_config },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'agent/graph.json' },
    secrets: [{ name: 'MODEL_KEY', value: 'carried over' }],
  });
  if (status !== 201) throw new Error(text);
  return json.id as string;
}

const get = async (id: string) => (await admin.get(`/v2/deployments/${id}`)).json;
const isGone = (id: string) => admin.until(`/v2/deployments/${id}`, ({ status }) => status === 404);

describe('a pull request', () => {
  test('has its own deployment from opening to closing', async () => {
    const hook = await integrate('github');
    const repo = newRepo();
    const parent = await deploy(repo, {
      preview_pull_requests: true,
      build_on_push: true,
      install_command: 'npm ci',
      watch_paths: ['a'],
    });
    await deploy(repo, {}, `${repo.name}-without`);
    const head = { sha: sha() };
    const opened = await tellGithub(hook, 'pull_request', githubPullRequest(repo, 7, { head }));
    expect(opened.json).toMatchObject({ handled: true, deployments: [{ deployment_id: parent }] });
    const { preview_id, revision_id } = opened.json.deployments[0];
    const preview = await get(preview_id);
    expect(preview).toMatchObject({
      name: `${repo.name}-pr-7`,
      is_preview: true,
      preview_of: parent,
      preview_number: 7,
      latest_revision_id: revision_id,
      secrets: [{ name: 'MODEL_KEY', value: null }],
      source_config: { build_on_push: false, install_command: 'npm ci' },
      source_revision_config: {
        repo_ref: 'refs/pull/7/head',
        repo_commit_sha: head.sha,
        graph_config_path: 'agent/graph.json',
      },
    });
    expect(preview.source_config).not.toHaveProperty('preview_pull_requests');
    await admin.until(`/v2/deployments/${preview_id}`, ({ json }) => json.active_revision_id === revision_id);
    expect((await get(preview_id)).source_config.custom_url).toContain(preview_id);

    // It has the deployment's current environment.
    await admin.patch(`/v2/deployments/${parent}`, { secrets: [{ name: 'OTHER_KEY', value: 'newer' }] });
    const next = { head: { sha: sha() }, action: 'synchronize' };
    const changed = await tellGithub(hook, 'pull_request', githubPullRequest(repo, 7, next));
    expect(changed.json.deployments[0]).toMatchObject({ preview_id, handled: true });
    expect(await get(preview_id)).toMatchObject({
      secrets: [{ name: 'OTHER_KEY', value: null }],
      source_revision_config: { repo_commit_sha: next.head.sha },
    });
    // A push to the deployment's branch does not affect the preview.
    await tellGithub(hook, 'push', githubPush(repo, { changed: ['a'] }));
    expect((await get(preview_id)).source_revision_config.repo_commit_sha).toBe(next.head.sha);

    const closed = await tellGithub(hook, 'pull_request', githubPullRequest(repo, 7, { action: 'closed' }));
    expect(closed.json.deployments[0]).toMatchObject({ preview_id, handled: true });
    await isGone(preview_id);
    await admin.until(`/v2/deployments/${parent}`, ({ json }) => json.status === 'READY');
    const late = { action: 'synchronize', updated_at: new Date(Date.now() - 60_000).toISOString() };
    const overtaken = await tellGithub(hook, 'pull_request', githubPullRequest(repo, 7, late));
    expect(overtaken.json.reason).toContain('newer');
    const again = await tellGithub(hook, 'pull_request', githubPullRequest(repo, 7, { action: 'closed' }));
    expect(again.json.deployments[0].reason).toContain('no preview');
  });

  test('from a fork or into another branch has none, unless preview_forks is set', async () => {
    const hook = await integrate('github');
    const repo = newRepo();
    const parent = await deploy(repo, { preview_pull_requests: true });
    const tell = async (number: number, more: object) =>
      (await tellGithub(hook, 'pull_request', githubPullRequest(repo, number, more))).json;
    for (const fork of [{ repo: { id: 8 } }, { repo: null }])
      expect((await tell(1, { head: fork })).deployments[0].reason).toContain('fork');
    expect((await tell(2, { base: { ref: 'next' } })).reason).toContain('no deployment');
    expect((await tell(3, { action: 'labeled' })).reason).toContain('not listened to');
    await admin.patch(`/v2/deployments/${parent}`, { source_config: { preview_forks: true } });
    expect((await tell(4, { head: { repo: { id: 8 } } })).handled).toBe(true);
  });

  test('is removed if over the limit, old, or without its base deployment', async () => {
    const hook = await integrate('github');
    const repo = newRepo();
    const parent = await deploy(repo, { preview_pull_requests: true }, 'x'.repeat(63));
    const open = async (number: number, more: object = {}) =>
      (await tellGithub(hook, 'pull_request', githubPullRequest(repo, number, more))).json.deployments[0];
    const [one, two] = [await open(1), await open(2)];
    expect((await get(two.preview_id)).name).toBe(`${'x'.repeat(58)}-pr-2`);
    expect(await open(3)).toMatchObject({
      handled: false,
      reason: 'The deployment has reached its limit of 2 previews.',
    });
    // Closed and reopened before the first preview was gone.
    await open(1, { action: 'closed' });
    const reopened = await open(1, { action: 'reopened' });
    expect(reopened.handled).toBe(true);
    await isGone(one.preview_id);

    await plane.deps.db.query(
      `update control_plane.revision set created_at = created_at - interval '15 days' where deployment_id = $1`,
      [two.preview_id],
    );
    expect(await sweepRecords(plane.deps)).toMatchObject({ previews: 1 });
    await isGone(two.preview_id);
    expect((await get(reopened.preview_id)).is_preview).toBe(true);
    // By an API that continues after the deployment is gone.
    const { deps, tenant: tenant_id } = plane;
    const remove = async (id: string) => {
      await deps.workflows.remove(id);
      await isGone(id);
    };
    const late = { ...deps, workflows: Object.assign(Object.create(deps.workflows), { remove }) };
    await removeDeployment(late, { tenant_id, name: 'ada', role: 'deployer' }, parent);
    await isGone(reopened.preview_id);
    await isGone(parent);
  });

  test('of GitLab is a merge request', async () => {
    const hook = await integrate('gitlab');
    const repo = newRepo();
    await deploy(repo, { preview_pull_requests: true });
    const { project } = gitlabPush(repo);
    const tell = async (more: object) => {
      const object_attributes = {
        iid: 5,
        action: 'open',
        target_branch: 'main',
        source_project_id: 1,
        target_project_id: 1,
        last_commit: { id: sha() },
        updated_at: new Date().toISOString(),
        ...more,
      };
      const payload = { user: { username: 'ada' }, project, object_attributes };
      return (await tellGitlab(hook, 'Merge Request Hook', payload)).json;
    };
    const opened = await tell({});
    const { preview_id } = opened.deployments[0];
    expect((await get(preview_id)).source_revision_config.repo_ref).toBe('refs/merge-requests/5/head');
    expect((await tell({ action: 'update' })).reason).toContain('no other commits');
    expect((await tell({ action: 'update', oldrev: sha() })).deployments[0].preview_id).toBe(preview_id);
    expect((await tell({ action: 'open', source_project_id: 2, iid: 6 })).deployments[0].reason).toContain(
      'fork',
    );
    expect((await tell({ action: 'merge' })).deployments[0]).toMatchObject({ handled: true, preview_id });
    await isGone(preview_id);
  });
});

describe('commit statuses on the git host', () => {
  const statusesOf = (commit: string) => posts.filter(({ url }) => url.endsWith(`/statuses/${commit}`));
  const lastOf = (commit: string) => statusesOf(commit).at(-1)?.body.state as string | undefined;
  async function toldAt(commit: string, state: string) {
    await until(`${commit} is ${state}`, () => lastOf(commit) === state);
    return statusesOf(commit);
  }
  const at = (repo: Repo) => ({ repository: { clone_url: `${hostUrl}/${repo.owner}/${repo.name}.git` } });
  const deployed = (repo: Repo, integration: { id: string }) =>
    deploy(repo, {
      repo_url: `${hostUrl}/${repo.owner}/${repo.name}.git`,
      integration_id: integration.id,
      build_on_push: true,
    });

  test('GitHub: pending, then success, despite a short outage', async () => {
    const hook = await integrate('github', { url: hostUrl, token: 'ghp-a-token' });
    const repo = newRepo();
    const id = await deployed(repo, hook);
    const after = sha();
    troubles.set(after, [502, 429]);
    const { json } = await tellGithub(hook, 'push', githubPush(repo, { after, ...at(repo) }));
    const reports = await toldAt(after, 'success');
    expect(reports[0]!.url).toBe(`/api/v3/repos/${repo.owner}/${repo.name}/statuses/${after}`);
    expect(reports[0]!.authorization).toBe('Bearer ghp-a-token');
    expect(reports.at(-1)!.body).toEqual({
      state: 'success',
      context: `slipway/${repo.name}`,
      target_url: `${plane.deps.config.SLIPWAY_PUBLIC_URL}/deployments/${id}/revisions/${json.deployments[0].revision_id}`,
      description: 'The revision is deployed',
    });
  });

  test('GitHub: a failed build; a host that refuses is not retried, and the revision continues', async () => {
    const hook = await integrate('github', { url: hostUrl, token: 'ghp-a-token' });
    const repo = newRepo();
    const id = await deployed(repo, hook);
    await admin.patch(`/v2/deployments/${id}`, { secrets: [{ name: 'BUILD_FAILS', value: 'no' }] });
    const failing = sha();
    await tellGithub(hook, 'push', githubPush(repo, { after: failing, ...at(repo) }));
    await toldAt(failing, 'failure');
    await admin.patch(`/v2/deployments/${id}`, { secrets: [], secrets_mode: 'replace' });
    const path = `/v2/deployments/${id}/revisions`;
    await admin.until(path, ({ json }) => json.resources[0].status === 'DEPLOYED');
    const refused = sha();
    troubles.set(refused, [403]);
    const { json } = await tellGithub(hook, 'push', githubPush(repo, { after: refused, ...at(repo) }));
    const { revision_id } = json.deployments[0];
    await admin.until(`${path}/${revision_id}`, ({ json }) => json.status === 'DEPLOYED');
    const workflow = plane.client.workflow.getHandle(`commit-status/${revision_id}`);
    await expect(workflow.result()).rejects.toThrow();
    expect(statusesOf(refused)).toHaveLength(1);
  });

  test('GitLab: its states, URL and commit', async () => {
    const hook = await integrate('gitlab', { url: hostUrl, token: 'glpat-a-token' });
    const repo = newRepo();
    await deployed(repo, hook);
    const after = sha();
    const project = { git_http_url: `${hostUrl}/${repo.owner}/${repo.name}.git`, default_branch: 'main' };
    await tellGitlab(hook, 'Push Hook', gitlabPush(repo, { after, project }));
    const [first] = await toldAt(after, 'success');
    expect(first!.url).toBe(`/api/v4/projects/${repo.owner}%2F${repo.name}/statuses/${after}`);
    expect(first!.body.name).toBe(`slipway/${repo.name}`);
  });

  test('the token of an integration is not sent to the host of another repository', async () => {
    const hook = await integrate('github', { url: hostUrl, token: 'ghp-a-token' });
    const repo = newRepo();
    const id = await deploy(repo, { integration_id: hook.id, build_on_push: true });
    const after = sha();
    await tellGithub(hook, 'push', githubPush(repo, { after }));
    await admin.until(
      `/v2/deployments/${id}/revisions`,
      ({ json }) => json.resources[0].status === 'DEPLOYED',
    );
    expect(statusesOf(after)).toEqual([]);
  });
});
