import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Answer } from './control-plane-caller.ts';

export const sha = (): string => randomBytes(20).toString('hex');
export const NO_COMMIT = '0'.repeat(40);

export interface Repo {
  owner: string;
  name: string;
}

const seconds = () => Math.floor(Date.now() / 1000);
const addresses = ({ owner, name }: Repo) => ({
  clone_url: `https://git.example.com/${owner}/${name}.git`,
  ssh_url: `git@git.example.com:${owner}/${name}.git`,
});

/** A push event as GitHub sends it. */
export function githubPush(repo: Repo, more: Record<string, any> = {}) {
  const { repository, changed = ['src/agent.ts'], message = 'change', ...rest } = more;
  const after: string = rest['after'] ?? sha();
  const commit = { id: after, message, added: [], modified: changed, removed: [] };
  return {
    ref: 'refs/heads/main',
    before: sha(),
    after,
    created: false,
    deleted: false,
    forced: false,
    commits: [commit],
    head_commit: commit,
    pusher: { name: 'ada' },
    repository: { ...addresses(repo), default_branch: 'main', pushed_at: seconds(), ...repository },
    ...rest,
  };
}

/** A pull request event as GitHub sends it. */
export function githubPullRequest(repo: Repo, number: number, more: Record<string, any> = {}) {
  const { head = {}, base = {}, updated_at = new Date().toISOString(), ...rest } = more;
  return {
    action: 'opened',
    number,
    pull_request: {
      head: { ref: 'feature', sha: sha(), repo: { id: 7 }, ...head },
      base: { ref: 'main', sha: sha(), repo: { id: 7 }, ...base },
      updated_at,
    },
    repository: { ...addresses(repo), default_branch: 'main' },
    sender: { login: 'ada' },
    ...rest,
  };
}

/** A push event as GitLab sends it. */
export function gitlabPush({ owner, name }: Repo, more: Record<string, any> = {}) {
  const after: string = more['after'] ?? sha();
  return {
    object_kind: 'push',
    ref: 'refs/heads/main',
    before: sha(),
    after,
    total_commits_count: 1,
    commits: [{ id: after, message: 'change', added: ['a'], modified: [], removed: [] }],
    user_username: 'ada',
    project: {
      git_http_url: `https://git.example.com/${owner}/${name}.git`,
      git_ssh_url: `git@git.example.com:${owner}/${name}.git`,
      default_branch: 'main',
    },
    ...more,
  };
}

export interface Hook {
  webhook_url: string;
  secret: string;
}

/** Headers as GitHub sends them. */
export const githubHeaders = (
  secret: string,
  body: string,
  event: string,
  delivery: string = randomUUID(),
) => ({
  'content-type': 'application/json',
  'x-github-event': event,
  'x-github-delivery': delivery,
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

export async function post(url: string, body: string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', body, headers });
  const text = await response.text();
  return { status: response.status, json: text && JSON.parse(text), text, headers: response.headers };
}

/** Sends an event as GitHub does. */
export function tellGithub({ webhook_url, secret }: Hook, event: string, payload: object, delivery?: string) {
  const body = JSON.stringify(payload);
  return post(webhook_url, body, githubHeaders(secret, body, event, delivery));
}

/** Sends an event as GitLab does: with the secret itself, or signed. */
export function tellGitlab(
  { webhook_url, secret }: Hook,
  event: string,
  payload: object,
  { signed = false, id = randomUUID(), at = new Date() } = {},
) {
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return post(webhook_url, body, {
    'content-type': 'application/json',
    'x-gitlab-event': event,
    'x-gitlab-event-uuid': randomUUID(),
    'idempotency-key': id,
    ...(signed
      ? {
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': new Webhook(secret).sign(id, at, body),
        }
      : { 'x-gitlab-token': secret }),
  });
}
