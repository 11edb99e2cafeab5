import { Type } from 'typebox';
import { compileValidator } from '../../platform/schema.ts';
import { invalidAnswer } from '../validation-errors.ts';
import { addressesIn, Commit, Count, MaybeText, Sha } from './event-schema.ts';
import { branchOf, type GitEvent, ignored, isNoCommit, pathsOf, timeOf } from './git-event.ts';

const Repository = Type.Object({
  clone_url: MaybeText,
  ssh_url: MaybeText,
  git_url: MaybeText,
  html_url: MaybeText,
  default_branch: MaybeText,
  /** Seconds since 1970 in push events, an ISO time in others. */
  pushed_at: Type.Optional(Type.Unknown()),
});

const readPush = compileValidator(
  Type.Object({
    ref: Type.String(),
    before: Sha,
    after: Sha,
    created: Type.Optional(Type.Boolean()),
    deleted: Type.Optional(Type.Boolean()),
    forced: Type.Optional(Type.Boolean()),
    commits: Type.Optional(Type.Array(Commit)),
    head_commit: Type.Optional(Type.Union([Commit, Type.Null()])),
    pusher: Type.Optional(Type.Object({ name: MaybeText })),
    repository: Repository,
  }),
  'body',
  invalidAnswer,
);

const Side = Type.Object({
  ref: Type.String(),
  sha: Sha,
  repo: Type.Optional(Type.Union([Type.Object({ id: Type.Integer() }), Type.Null()])),
});
const readPullRequest = compileValidator(
  Type.Object({
    action: Type.String(),
    number: Count,
    pull_request: Type.Object({ head: Side, base: Side, updated_at: MaybeText }),
    repository: Repository,
    sender: Type.Optional(Type.Object({ login: MaybeText })),
  }),
  'body',
  invalidAnswer,
);

// GitHub lists at most this many commits of a push.
const MOST_COMMITS = 2_048;
const OPENED = new Set(['opened', 'synchronize', 'reopened']);

/** Reads an event of GitHub or a compatible host. Throws InvalidFields for a malformed one. */
export function readGithubEvent(name: string, body: unknown): GitEvent {
  if (name === 'ping') return ignored('the webhook reaches its integration');
  if (name === 'push') return pushOf(body);
  if (name === 'pull_request') return pullRequestOf(body);
  return ignored(`events of the kind '${name.slice(0, 100)}' are not listened to`);
}

function pushOf(body: unknown): GitEvent {
  const push = readPush(body);
  const { ref, before, after, created, deleted, forced, commits = [], head_commit, repository } = push;
  const branch = branchOf(ref);
  if (branch === undefined) return ignored('only pushes to branches are listened to');
  if (deleted || isNoCommit(after)) return ignored('the branch was deleted');
  if (created || isNoCommit(before)) return ignored('the branch was created; pushes to it are listened to');
  const { pushed_at } = repository;
  return {
    kind: 'push',
    repository: repositoryOf(repository),
    branch,
    commit: after,
    message: head_commit?.message ?? '',
    // A force push doesn't list the commits it removed.
    changed: pathsOf(commits, !forced && commits.length < MOST_COMMITS),
    by: push.pusher?.name ?? 'somebody',
    at: typeof pushed_at === 'number' ? timeOf(pushed_at) : undefined,
  };
}

function pullRequestOf(body: unknown): GitEvent {
  const { action, number, pull_request, repository, sender } = readPullRequest(body);
  const { head, base, updated_at } = pull_request;
  if (!OPENED.has(action) && action !== 'closed')
    return ignored(`pull requests that were ${action.slice(0, 100)} are not listened to`);
  return {
    kind: 'change_request',
    repository: repositoryOf(repository),
    number,
    state: action === 'closed' ? 'closed' : 'open',
    base: base.ref,
    commit: head.sha,
    ref: `refs/pull/${number}/head`,
    // The repository is null if the fork was deleted.
    is_fork: !head.repo || head.repo.id !== base.repo?.id,
    by: sender?.login ?? 'somebody',
    at: timeOf(updated_at),
  };
}

const repositoryOf = ({
  clone_url,
  ssh_url,
  git_url,
  html_url,
  default_branch,
}: {
  clone_url?: string | null;
  ssh_url?: string | null;
  git_url?: string | null;
  html_url?: string | null;
  default_branch?: string | null;
}) => ({
  addresses: addressesIn(clone_url, ssh_url, git_url, html_url),
  default_branch: default_branch ?? undefined,
});
