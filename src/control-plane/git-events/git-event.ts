/** A repository, as its host describes it. */
export interface EventRepository {
  /** All its addresses: https, ssh and web page. */
  addresses: string[];
  default_branch?: string | undefined;
}

/** A push to an existing branch. */
export interface Push {
  kind: 'push';
  repository: EventRepository;
  branch: string;
  /** Head of the branch after the push. */
  commit: string;
  /** Message of that commit. */
  message: string;
  /** Added, changed or removed paths; undefined when the event doesn't list all of them. */
  changed: string[] | undefined;
  /** Who pushed. */
  by: string;
  /** Time of the push, if the host sends it. */
  at: Date | undefined;
}

/** A pull or merge request that was opened, changed or closed. */
export interface ChangeRequest {
  kind: 'change_request';
  repository: EventRepository;
  number: number;
  state: 'open' | 'closed';
  /** Target branch. */
  base: string;
  /** Its head commit. */
  commit: string;
  /** Ref in the target repository that leads to the commit, even from forks. */
  ref: string;
  /** Its author may have no rights in the target repository. */
  is_fork: boolean;
  by: string;
  at: Date | undefined;
}

/** An event that needs no action, with the reason. */
export interface Ignored {
  kind: 'ignored';
  reason: string;
}

export type GitEvent = Push | ChangeRequest | Ignored;

export const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason });

const BRANCH = 'refs/heads/';

/** Branch name; undefined for tags and other refs. */
export const branchOf = (ref: string): string | undefined =>
  ref.startsWith(BRANCH) ? ref.slice(BRANCH.length) : undefined;

/** The null commit: before a branch exists, and after its deletion. */
export const isNoCommit = (sha: string): boolean => /^0+$/.test(sha);

export interface ListedCommit {
  added?: string[] | undefined;
  modified?: string[] | undefined;
  removed?: string[] | undefined;
}

/** Every path the commits touch; undefined when the list is incomplete or empty. */
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
