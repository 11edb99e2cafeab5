/** Where a repository is, as its host says. */
export interface EventRepository {
  /** Every address it has: https, ssh, that of its page. */
  addresses: string[];
  default_branch?: string | undefined;
}

/** Commits that came to a branch that was there before. */
export interface Push {
  kind: 'push';
  repository: EventRepository;
  branch: string;
  /** What the branch is now. */
  commit: string;
  /** Message of that commit. */
  message: string;
  /** Paths that were added, changed or removed; undefined where the event does not tell all of them. */
  changed: string[] | undefined;
  /** Who pushed. */
  by: string;
  /** When, where the host says so. */
  at: Date | undefined;
}

/** A pull request, or a merge request, that came, changed or went. */
export interface ChangeRequest {
  kind: 'change_request';
  repository: EventRepository;
  number: number;
  state: 'open' | 'closed';
  /** Branch it is to be merged into. */
  base: string;
  /** What it is now. */
  commit: string;
  /** Ref of the repository itself that leads to the commit, for those of forks too. */
  ref: string;
  /** Made by somebody who need not have any rights in the repository. */
  is_fork: boolean;
  by: string;
  at: Date | undefined;
}

/** An event that asks for nothing, and why. */
export interface Ignored {
  kind: 'ignored';
  reason: string;
}

export type GitEvent = Push | ChangeRequest | Ignored;

export const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason });

const BRANCH = 'refs/heads/';

/** Name of a branch; undefined for a tag, or another kind of ref. */
export const branchOf = (ref: string): string | undefined =>
  ref.startsWith(BRANCH) ? ref.slice(BRANCH.length) : undefined;

/** A commit that is none: before a branch was made, and after it was deleted. */
export const isNoCommit = (sha: string): boolean => /^0+$/.test(sha);

export interface ListedCommit {
  added?: string[] | undefined;
  modified?: string[] | undefined;
  removed?: string[] | undefined;
}

/** Every path that commits touch. Undefined where there are fewer than there should be, or none at all. */
export function pathsOf(commits: ListedCommit[], isWhole: boolean): string[] | undefined {
  if (!isWhole || commits.length === 0) return undefined;
  const paths = commits.flatMap(({ added = [], modified = [], removed = [] }) => [
    ...added,
    ...modified,
    ...removed,
  ]);
  return paths.length > 0 ? [...new Set(paths)] : undefined;
}

export const timeOf = (text: string | number | null | undefined): Date | undefined => {
  const time = new Date(typeof text === 'number' ? text * 1000 : (text ?? Number.NaN));
  return Number.isNaN(time.getTime()) ? undefined : time;
};
