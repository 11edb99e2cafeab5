import { Type } from 'typebox';
import { compileValidator } from '../../platform/schema.ts';
import { invalidAnswer } from '../validation-errors.ts';
import { addressesIn, Commit, Count, MaybeText, Sha } from './event-schema.ts';
import { branchOf, type GitEvent, ignored, isNoCommit, pathsOf, timeOf } from './git-event.ts';

const Project = Type.Object({
  git_http_url: MaybeText,
  git_ssh_url: MaybeText,
  web_url: MaybeText,
  default_branch: MaybeText,
});

const readPush = compileValidator(
  Type.Object({
    ref: Type.String(),
    before: Sha,
    after: Sha,
    commits: Type.Optional(Type.Array(Commit)),
    total_commits_count: Type.Optional(Type.Integer()),
    user_username: MaybeText,
    project: Project,
  }),
  'body',
  invalidAnswer,
);

const readMergeRequest = compileValidator(
  Type.Object({
    user: Type.Optional(Type.Object({ username: MaybeText })),
    project: Project,
    object_attributes: Type.Object({
      iid: Count,
      action: MaybeText,
      /** Set on updates that bring new commits. */
      oldrev: MaybeText,
      target_branch: Type.String(),
      source_project_id: Type.Union([Type.Integer(), Type.Null()]),
      target_project_id: Type.Integer(),
      last_commit: Type.Object({ id: Sha }),
      updated_at: MaybeText,
    }),
  }),
  'body',
  invalidAnswer,
);

/** Reads an event of GitLab. Throws InvalidFields for a malformed one. */
export function readGitlabEvent(name: string, body: unknown): GitEvent {
  if (name === 'Push Hook') return pushOf(body);
  if (name === 'Merge Request Hook') return mergeRequestOf(body);
  return ignored(`events of the kind '${name.slice(0, 100)}' are not listened to`);
}

function pushOf(body: unknown): GitEvent {
  const {
    ref,
    before,
    after,
    commits = [],
    total_commits_count = 0,
    user_username,
    project,
  } = readPush(body);
  const branch = branchOf(ref);
  if (branch === undefined) return ignored('only pushes to branches are listened to');
  if (isNoCommit(after)) return ignored('the branch was deleted');
  if (isNoCommit(before)) return ignored('the branch was created; pushes to it are listened to');
  return {
    kind: 'push',
    repository: repositoryOf(project),
    branch,
    commit: after,
    message: commits.find(({ id }) => id === after)?.message ?? '',
    changed: pathsOf(commits, total_commits_count <= commits.length),
    by: user_username ?? 'somebody',
    // GitLab doesn't send it.
    at: undefined,
  };
}

function mergeRequestOf(body: unknown): GitEvent {
  const { user, project, object_attributes } = readMergeRequest(body);
  const { iid, action, oldrev, target_branch, last_commit, updated_at } = object_attributes;
  const opened = action === 'open' || action === 'reopen' || (action === 'update' && Boolean(oldrev));
  const closed = action === 'close' || action === 'merge';
  if (!opened && !closed) return ignored('the merge request has no other commits than before');
  return {
    kind: 'change_request',
    repository: repositoryOf(project),
    number: iid,
    state: closed ? 'closed' : 'open',
    base: target_branch,
    commit: last_commit.id,
    ref: `refs/merge-requests/${iid}/head`,
    is_fork: object_attributes.source_project_id !== object_attributes.target_project_id,
    by: user?.username ?? 'somebody',
    at: timeOf(updated_at),
  };
}

const repositoryOf = ({
  git_http_url,
  git_ssh_url,
  web_url,
  default_branch,
}: {
  git_http_url?: string | null;
  git_ssh_url?: string | null;
  web_url?: string | null;
  default_branch?: string | null;
}) => ({
  addresses: addressesIn(git_http_url, git_ssh_url, web_url),
  default_branch: default_branch ?? undefined,
});
