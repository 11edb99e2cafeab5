import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Caller } from '../support/control-plane-caller.ts';
import {
  githubHeaders,
  githubPush,
  gitlabPush,
  type Hook,
  NO_COMMIT,
  post,
  type Repo,
  sha,
  tellGithub,
  tellGitlab,
} from '../support/git-events.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane({ SLIPWAY_GIT_EVENT_LIMIT_BYTES: '20000' });
let admin: Caller;
let hook: Hook & { id: string };

const SIGNING_TOKEN = `whsec_${randomBytes(32).toString('base64')}`;

/** The caller's integration, with a secret. */
async function integrate(caller: Caller, kind: string, webhook_secret?: string) {
  const { json } = await caller.post('/v2/integrations', { name: `acme-${randomUUID()}`, kind });
  const rotated = await caller.post(`/v2/integrations/${json.id}/webhook-secret`, { webhook_secret });
  const { pathname } = new URL(rotated.json.webhook_url);
  return { id: json.id, webhook_url: plane.url + pathname, secret: rotated.json.webhook_secret as string };
}

beforeAll(async () => {
  admin = new Caller(plane.url, { 'x-api-key': await plane.key('admin') });
  hook = await integrate(admin, 'github');
});

const newRepo = (): Repo => ({ owner: 'acme', name: `agent-${randomUUID().slice(0, 8)}` });

async function deploy(repo: Repo, source_config: object = {}, { caller = admin, repo_ref = 'main' } = {}) {
  const { status, json, text } = await caller.post('/v2/deployments', {
    name: `${repo.name}-${randomUUID().slice(0, 6)}`,
    source: 'git_host',
    source_config: {
      repo_url: `https://git.example.com/${repo.owner}/${repo.name}`,
      build_on_push: true,
      ...source_config,
    },
    source_revision_config: { repo_ref },
    secrets: [{ name: 'MODEL_KEY', value: 'carried over' }],
  });
  if (status !== 201) throw new Error(text);
  return json.id as string;
}

const revisions = async (id: string, caller = admin) =>
  (await caller.get(`/v2/deployments/${id}/revisions`)).json.resources as any[];

test('a push deploys a revision of the pushed commit', async () => {
  const repo = newRepo();
  const id = await deploy(repo);
  const push = githubPush(repo);
  const { status, json } = await tellGithub(hook, 'push', push);
  expect(status).toBe(200);
  const [made] = json.deployments;
  expect(json).toEqual({
    handled: true,
    deployments: [{ deployment_id: id, handled: true, revision_id: expect.any(String) }],
  });
  const [latest, first] = await revisions(id);
  expect(latest).toMatchObject({
    id: made.revision_id,
    created_by: expect.stringMatching(/^webhook acme-.* \(ada\)$/),
    reason: `ada pushed ${push.after.slice(0, 12)} to main`,
    source_revision_config: { repo_ref: 'main', repo_commit_sha: push.after },
  });
  expect(first.source_revision_config.repo_commit_sha).not.toBe(push.after);
  const path = `/v2/deployments/${id}`;
  await admin.until(`${path}/revisions/${latest.id}`, ({ json }) => json.status === 'DEPLOYED');
  expect((await admin.get(path)).json.secrets).toEqual([{ name: 'MODEL_KEY', value: null }]);
  const audit = await admin.get(`/v2/audit?target=deployment/${id}&action=patchDeployment`);
  expect(audit.json.resources[0].actor).toBe(latest.created_by);
  expect(JSON.stringify(audit.json.resources[0])).toContain(push.after);
  // A revision requested without a push uses the branch's current commit.
  const again = await admin.post(`${path}/revisions`, {});
  expect(again.json.source_revision_config.repo_commit_sha).toBeNull();
});

test('deploys all deployments of the repository and branch, in any spelling, and no other', async () => {
  const repo = newRepo();
  const url = `${repo.owner}/${repo.name}`;
  const meant = [
    await deploy(repo, { repo_url: `https://GIT.example.com/${url.toUpperCase()}.git` }),
    await deploy(repo, { repo_url: `git@git.example.com:${url}.git` }),
    await deploy(repo, { repo_url: `ssh://git@git.example.com/${url}/` }, { repo_ref: 'refs/heads/main' }),
    await deploy(repo, { repo_url: `https://git.example.com/${url}` }, { repo_ref: '' }),
    await deploy(repo, { integration_id: hook.id }),
    // A nonexistent integration.
    await deploy(repo, { integration_id: randomUUID() }),
  ];
  const other = await integrate(admin, 'github');
  const stranger = new Caller(plane.url, { 'x-api-key': await plane.key('admin', randomUUID()) });
  const spared = [
    await deploy(repo, { build_on_push: false }),
    await deploy(repo, {}, { repo_ref: 'next' }),
    await deploy(repo, { build_on_push: false }, { repo_ref: 'refs/tags/main' }),
    await deploy(repo, { repo_url: `https://git.example.com/${url}-other` }),
    await deploy(repo, { repo_url: `https://git.example.org/${url}` }),
    await deploy(repo, { repo_url: `https://git.example.com:8443/${url}` }),
    await deploy(repo, { integration_id: other.id }),
  ];
  const strange = await deploy(repo, {}, { caller: stranger });
  const { json } = await tellGithub(hook, 'push', githubPush(repo));
  expect(json.deployments.map(({ deployment_id }: any) => deployment_id)).toEqual(meant);
  for (const id of spared) expect(await revisions(id)).toHaveLength(1);
  expect(await revisions(strange, stranger)).toHaveLength(1);
});

describe('other events than a push to an existing branch create nothing', () => {
  const repo = newRepo();
  let id: string;
  beforeAll(async () => {
    id = await deploy(repo);
  });

  test.each([
    ['push', { ref: 'refs/tags/v1' }, 'only pushes to branches'],
    ['push', { created: true, before: NO_COMMIT }, 'was created'],
    ['push', { created: true }, 'was created'],
    ['push', { before: NO_COMMIT }, 'was created'],
    ['push', { deleted: true, after: NO_COMMIT, head_commit: null, commits: [] }, 'was deleted'],
    ['push', { after: NO_COMMIT, head_commit: null, commits: [] }, 'was deleted'],
    ['push', { message: 'docs [skip ci]' }, 'asks to skip'],
    ['push', { message: '[CI SKIP]' }, 'asks to skip'],
    ['push', { message: 'x\n\n[no ci]' }, 'asks to skip'],
    ['push', { message: 'x [skip slipway]' }, 'asks to skip'],
    ['push', { ref: 'refs/heads/other' }, 'no deployment'],
    ['push', { repository: { pushed_at: 1_700_000_000 } }, 'too long ago'],
    ['ping', {}, 'reaches its integration'],
    ['issues', {}, 'not listened to'],
    ['delete', {}, 'not listened to'],
  ])('%s %j', async (event, more, reason) => {
    const { status, json } = await tellGithub(hook, event, githubPush(repo, more));
    expect([status, json.handled, json.deployments]).toEqual([200, false, []]);
    expect(json.reason).toContain(reason);
    expect(await revisions(id)).toHaveLength(1);
  });
});

test('watch paths decide whether a push matters; an incomplete list of changes matters', async () => {
  const repo = newRepo();
  const id = await deploy(repo, { watch_paths: ['agents/one/', 'package.json', '!*.md'] });
  const tell = async (more: object) => (await tellGithub(hook, 'push', githubPush(repo, more))).json;
  for (const changed of [['docs/a.txt', 'other/package.txt'], ['agents/one/README.md']])
    expect((await tell({ changed })).deployments[0]).toMatchObject({
      handled: false,
      reason: expect.stringContaining('watch_paths'),
    });
  expect(await revisions(id)).toHaveLength(1);
  for (const more of [
    { changed: ['docs/a.md', 'agents/one/src/x.ts'] },
    { changed: ['deep/package.json'] },
    { changed: ['docs/a.md'], forced: true },
    { commits: [] },
    { commits: Array.from({ length: 2_048 }, () => ({})) },
  ])
    expect((await tell(more)).handled).toBe(true);
  expect(await revisions(id)).toHaveLength(6);
  // Forms always send the list; an empty one watches everything.
  await admin.patch(`/v2/deployments/${id}`, { source_config: { watch_paths: [] } });
  expect((await tell({ changed: ['docs/a.txt'] })).handled).toBe(true);
});

describe('unsigned requests are refused', () => {
  const repo = newRepo();
  const body = JSON.stringify(githubPush(repo));
  const signed = () => githubHeaders(hook.secret, body, 'push');
  let id: string;
  beforeAll(async () => {
    id = await deploy(repo);
  });

  test.each<[string, () => Promise<{ url?: string; body?: string; headers: Record<string, string> }>]>([
    ['no signature', async () => ({ headers: { 'x-github-event': 'push' } })],
    ['an empty one', async () => ({ headers: { ...signed(), 'x-hub-signature-256': '' } })],
    ['a broken one', async () => ({ headers: { ...signed(), 'x-hub-signature-256': 'sha256=zz' } })],
    [
      'the older kind',
      async () => ({ headers: { ...signed(), 'x-hub-signature': 'sha1=0', 'x-hub-signature-256': '' } }),
    ],
    ['another secret', async () => ({ headers: githubHeaders('another secret of theirs', body, 'push') })],
    ['another body', async () => ({ headers: signed(), body: `${body} ` })],
    [
      'the way of another host',
      async () => ({ headers: { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': hook.secret } }),
    ],
    [
      'an integration that is none',
      async () => ({ headers: signed(), url: `${plane.url}/v2/git-events/${randomUUID()}` }),
    ],
    [
      'an integration of another tenant, with its own secret',
      async () => {
        const stranger = new Caller(plane.url, { 'x-api-key': await plane.key('admin', randomUUID()) });
        const theirs = await integrate(stranger, 'github');
        return { headers: githubHeaders(theirs.secret, body, 'push') };
      },
    ],
    [
      'an integration without a secret',
      async () => {
        const { json } = await admin.post('/v2/integrations', {
          name: `bare-${randomUUID()}`,
          kind: 'github',
        });
        return { headers: githubHeaders('', body, 'push'), url: `${plane.url}/v2/git-events/${json.id}` };
      },
    ],
    [
      'the secret before the last',
      async () => {
        const rotated = await integrate(admin, 'github');
        await admin.post(`/v2/integrations/${rotated.id}/webhook-secret`, {});
        return { headers: githubHeaders(rotated.secret, body, 'push'), url: rotated.webhook_url };
      },
    ],
  ])('%s', async (_what, forge) => {
    const { url = hook.webhook_url, body: sent = body, headers } = await forge();
    const { status, json } = await post(url, sent, headers);
    expect([status, json.detail]).toEqual([
      401,
      'The signature of the event is not that of this integration',
    ]);
    expect(await revisions(id)).toHaveLength(1);
  });

  test('another tenant’s signature affects only that tenant', async () => {
    const stranger = new Caller(plane.url, { 'x-api-key': await plane.key('admin', randomUUID()) });
    const theirs = await integrate(stranger, 'github');
    const { json } = await tellGithub(theirs, 'push', githubPush(repo));
    expect(json).toMatchObject({ handled: false, deployments: [] });
    expect(await revisions(id)).toHaveLength(1);
  });

  test('signed requests that are no events or too large are refused', async () => {
    expect((await tellGithub(hook, 'push', { ref: 7 })).status).toBe(422);
    expect((await post(hook.webhook_url, '{', githubHeaders(hook.secret, '{', 'push'))).status).toBe(422);
    const large = JSON.stringify({ x: 'x'.repeat(20_000) });
    const refused = await post(hook.webhook_url, large, githubHeaders(hook.secret, large, 'push'));
    expect(refused.status).toBe(413);
  });
});

describe('a repeated event', () => {
  test('gets the same response and takes effect once, even concurrently or with another delivery id', async () => {
    const repo = newRepo();
    const id = await deploy(repo);
    const push = githubPush(repo);
    const delivery = randomUUID();
    const [first, ...others] = await Promise.all([
      tellGithub(hook, 'push', push, delivery),
      tellGithub(hook, 'push', push, delivery),
    ]);
    others.push(await tellGithub(hook, 'push', push, delivery), await tellGithub(hook, 'push', push));
    for (const { status, json } of others) expect([status, json]).toEqual([200, first.json]);
    expect(await revisions(id)).toHaveLength(2);
  });

  test('is completed if the first receiver died', async () => {
    const repo = newRepo();
    const id = await deploy(repo);
    const push = githubPush(repo);
    const delivery = randomUUID();
    const { json } = await tellGithub(hook, 'push', push, delivery);
    const { db } = plane.deps;
    await db.query('update control_plane.git_delivery set answer = null where delivery_id = $1', [delivery]);
    await tellGithub(hook, 'push', push, delivery);
    const made = await revisions(id);
    expect(made).toHaveLength(2);
    expect(made[0].id).toBe(json.deployments[0].revision_id);
  });

  test('is ignored after a newer one of the same branch', async () => {
    const repo = newRepo();
    const id = await deploy(repo);
    const now = Math.floor(Date.now() / 1000);
    const newer = githubPush(repo, { repository: { pushed_at: now } });
    expect((await tellGithub(hook, 'push', newer)).json.handled).toBe(true);
    const older = githubPush(repo, { repository: { pushed_at: now - 10 } });
    expect((await tellGithub(hook, 'push', older)).json.reason).toContain('newer');
    const elsewhere = githubPush(repo, { ref: 'refs/heads/other', repository: { pushed_at: now - 10 } });
    expect((await tellGithub(hook, 'push', elsewhere)).json.reason).toContain('no deployment');
    expect(await revisions(id)).toHaveLength(2);
  });

  test('two webhooks for one push create one revision', async () => {
    const repo = newRepo();
    const id = await deploy(repo);
    const push = githubPush(repo);
    await tellGithub(hook, 'push', push);
    const { json } = await tellGithub(hook, 'push', { ...push, organization: {} });
    expect(json.deployments[0].reason).toContain('of this commit');
    expect(await revisions(id)).toHaveLength(2);
  });
});

test('GitLab: with the secret itself, or signed', async () => {
  const repo = newRepo();
  const id = await deploy(repo);
  const gitlab = await integrate(admin, 'gitlab', SIGNING_TOKEN);
  const count = async () => (await revisions(id)).length;
  const push = gitlabPush(repo);
  const key = randomUUID();
  expect((await tellGitlab(gitlab, 'Push Hook', push, { id: key })).json.handled).toBe(true);
  expect((await tellGitlab(gitlab, 'Push Hook', push, { id: key })).json.handled).toBe(true);
  expect(await count()).toBe(2);
  const signed = gitlabPush(repo);
  expect((await tellGitlab(gitlab, 'Push Hook', signed, { signed: true })).json.handled).toBe(true);
  expect(await count()).toBe(3);
  for (const [event, more, reason] of [
    ['Push Hook', { before: NO_COMMIT }, 'was created'],
    ['Push Hook', { after: NO_COMMIT }, 'was deleted'],
    ['Tag Push Hook', { ref: 'refs/tags/v1' }, 'not listened to'],
    ['Note Hook', {}, 'not listened to'],
  ] as const)
    expect((await tellGitlab(gitlab, event, gitlabPush(repo, more))).json.reason).toContain(reason);
  const old = { signed: true, at: new Date(Date.now() - 3_600_000) };
  expect((await tellGitlab(gitlab, 'Push Hook', gitlabPush(repo), old)).status).toBe(401);
  const wrong = { ...gitlab, secret: `whsec_${randomBytes(32).toString('base64')}` };
  for (const how of [{ signed: true }, {}])
    expect((await tellGitlab(wrong, 'Push Hook', gitlabPush(repo), how)).status).toBe(401);
  expect(await count()).toBe(3);
});

test('accepts a form with the event in its payload field', async () => {
  const repo = newRepo();
  await deploy(repo);
  const body = new URLSearchParams({ payload: JSON.stringify(githubPush(repo)) }).toString();
  const headers = {
    ...githubHeaders(hook.secret, body, 'push'),
    'content-type': 'application/x-www-form-urlencoded',
  };
  expect((await post(hook.webhook_url, body, headers)).json.handled).toBe(true);
});

test('of pushes in quick succession the newest is built and those in between are skipped', async () => {
  const repo = newRepo();
  const id = await deploy(repo);
  const path = `/v2/deployments/${id}/revisions`;
  const secrets = [{ name: 'BUILD_UNTIL', value: 'all are pushed' }];
  const { latest_revision_id } = (await admin.patch(`/v2/deployments/${id}`, { secrets })).json;
  await admin.until(`${path}/${latest_revision_id}`, ({ json }) => json.status === 'BUILDING');
  const commits = [sha(), sha(), sha()];
  for (const after of commits) await tellGithub(hook, 'push', githubPush(repo, { after }));
  plane.builder.release('all are pushed');
  const { json } = await admin.until(path, ({ json }) => json.resources[0].status === 'DEPLOYED');
  const at = (commit: string) =>
    json.resources.find((one: any) => one.source_revision_config.repo_commit_sha === commit).status;
  expect(commits.map(at)).toEqual(['SKIPPED', 'SKIPPED', 'DEPLOYED']);
});

describe('integrations', () => {
  test('belong to a tenant, are managed by admins, and never reveal a secret', async () => {
    const secrets = { token: 'ghp-a-token', ssh_key: 'a key', ssh_known_hosts: 'a host' };
    const create = { name: 'host', kind: 'gitlab', url: 'https://gitlab.example.com/', ...secrets };
    const created = await admin.post('/v2/integrations', {
      ...create,
      webhook_secret: 'a secret-of-the-hook'.replace(' ', '-'),
    });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({
      url: 'https://gitlab.example.com',
      api_url: 'https://gitlab.example.com/api/v4',
      credentials: ['token', 'ssh_key', 'ssh_known_hosts'],
      has_webhook_secret: true,
    });
    const path = `/v2/integrations/${created.json.id}`;
    const patched = await admin.patch(path, { ssh_key: null, url: 'https://git.example.com' });
    expect(patched.json).toMatchObject({
      api_url: 'https://git.example.com/api/v4',
      credentials: ['token', 'ssh_known_hosts'],
    });
    expect((await admin.post('/v2/integrations', create)).status).toBe(409);
    for (const url of ['https://git.example.com:99999', 'ftp://x', 'https://ada:secret@git.example.com'])
      expect((await admin.patch(path, { url })).status).toBe(422);
    const listed = await admin.get('/v2/integrations');
    const audit = await admin.get(`/v2/audit?target=integration/${created.json.id}`);
    const { rows } = await plane.deps.db.query('select i::text from control_plane.integration i');
    for (const text of [created.text, patched.text, listed.text, audit.text, JSON.stringify(rows)])
      expect(text).not.toMatch(/ghp-a-token|a-secret-of-the-hook/);
    const deployer = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
    expect((await deployer.get(path)).status).toBe(200);
    expect((await deployer.patch(path, {})).status).toBe(403);
    expect((await deployer.post(`${path}/webhook-secret`, {})).status).toBe(403);
    const stranger = new Caller(plane.url, { 'x-api-key': await plane.key('admin', randomUUID()) });
    expect((await stranger.get(path)).status).toBe(404);
    expect((await stranger.post(`${path}/webhook-secret`, {})).status).toBe(404);
    expect((await stranger.delete(path)).status).toBe(404);
    const installed = await admin.get('/v1/integrations/github/install');
    expect(installed.json.map(({ id }: any) => id)).toContain(created.json.id);
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.get(path)).status).toBe(404);
  });
});
