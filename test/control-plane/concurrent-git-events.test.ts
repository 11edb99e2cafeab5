import { beforeAll, expect, test } from '@jest/globals';
import { findServing } from '../../src/control-plane/records/deployment-repository.ts';
import { behindLocks } from '../support/behind-locks.ts';
import { type Answer, Caller } from '../support/control-plane-caller.ts';
import {
  githubPullRequest,
  githubPush,
  type Hook,
  type Repo,
  sha,
  tellGithub,
} from '../support/git-events.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane();
let admin: Caller;
let names = 0;

beforeAll(async () => {
  admin = new Caller(plane.url, { 'x-api-key': await plane.key('admin') });
});

async function integrate(): Promise<Hook> {
  const { json } = await admin.post('/v2/integrations', { name: `acme-${++names}`, kind: 'github' });
  const rotated = await admin.post(`/v2/integrations/${json.id}/webhook-secret`, {});
  const { pathname } = new URL(rotated.json.webhook_url);
  return { webhook_url: plane.url + pathname, secret: rotated.json.webhook_secret };
}

async function deploy(source_config: object): Promise<{ id: string; repo: Repo }> {
  const repo = { owner: 'Acme', name: `agent-${++names}` };
  const { json } = await admin.post('/v2/deployments', {
    name: repo.name,
    source: 'git_host',
    source_config: { repo_url: `https://git.example.com/${repo.owner}/${repo.name}.git`, ...source_config },
    source_revision_config: { repo_ref: 'main' },
  });
  return { id: json.id, repo };
}

const commits = async (id: string): Promise<unknown[]> =>
  (await admin.get(`/v2/deployments/${id}/revisions`)).json.resources.map(
    ({ source_revision_config }: any) => source_revision_config.repo_commit_sha ?? null,
  );
const behind = (id: string, ...events: (() => Promise<Answer>)[]) =>
  behindLocks(plane.deps.db, (tx) => findServing(tx, id), events);
const at = (seconds: number) => Date.now() + seconds * 1000;

test('two events of a new pull request open one preview, at the newer commit', async () => {
  const { id, repo } = await deploy({ preview_pull_requests: true });
  const hook = await integrate();
  const [first, second] = [sha(), sha()];
  const open = (head: string, seconds: number) => () =>
    tellGithub(
      hook,
      'pull_request',
      githubPullRequest(repo, 7, { head: { sha: head }, updated_at: new Date(at(seconds)).toISOString() }),
    );
  await behind(id, open(first, -2), open(second, -1));
  const { json } = await admin.get(`/v2/deployments?name_contains=${repo.name}-pr`);
  expect(json.resources).toHaveLength(1);
  expect(await commits(json.resources[0].id)).toEqual([second]);
});

test('a preview that another integration opens meanwhile gets the commit, too', async () => {
  const { id, repo } = await deploy({ preview_pull_requests: true });
  const [first, second] = [sha(), sha()];
  const open = (hook: Hook, head: string) => () =>
    tellGithub(hook, 'pull_request', githubPullRequest(repo, 7, { head: { sha: head } }));
  await behind(id, open(await integrate(), first), open(await integrate(), second));
  const { json } = await admin.get(`/v2/deployments?name_contains=${repo.name}-pr`);
  expect(json.resources).toHaveLength(1);
  expect(await commits(json.resources[0].id)).toEqual([second, first]);
});

test('two webhooks that report the same push at once make one revision', async () => {
  const { id, repo } = await deploy({ build_on_push: true });
  const after = sha();
  const push = (hook: Hook) => () => tellGithub(hook, 'push', githubPush(repo, { after }));
  await behind(id, push(await integrate()), push(await integrate()));
  expect(await commits(id)).toEqual([after, null]);
});

test('a push that waited while a newer one arrived makes no revision', async () => {
  const { id, repo } = await deploy({ build_on_push: true });
  const hook = await integrate();
  const [older, newer] = [sha(), sha()];
  const push = (after: string, seconds: number) => () =>
    tellGithub(
      hook,
      'push',
      githubPush(repo, { after, repository: { pushed_at: Math.floor(at(seconds) / 1000) } }),
    );
  await behind(id, push(older, -3), push(newer, -1));
  expect(await commits(id)).toEqual([newer, null]);
});
