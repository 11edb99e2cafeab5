import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, post, remove } from './http.ts';

export type RepoType = 'prompt' | 'agent' | 'skill';

/** A prompt, or the directory of an agent or skill. */
export interface Repo {
  id: string;
  repo_handle: string;
  repo_type: RepoType;
  /** The workspace's handle; null if unset. */
  owner: string | null;
  full_name: string;
  tenant_id: string;
  description: string | null;
  readme: string | null;
  is_public: boolean;
  is_archived: boolean;
  tags: string[];
  num_commits: number;
  num_downloads: number;
  last_commit_hash: string | null;
  updated_at: string;
}

export interface Commit {
  id: string;
  commit_hash: string;
  parent_commit_hash: string | null;
  manifest: unknown;
  description: string | null;
  num_downloads: number;
  created_at: string;
}

export interface PromptTag {
  id: string;
  tag_name: string;
  commit_id: string;
  commit_hash: string;
}

/** Owner and name of a prompt. The owner `-` is this workspace. */
export interface PromptName {
  owner: string;
  name: string;
}

const MAX_REPOS = 100;
export const COMMITS_PAGE = 20;
const pathOf = ({ owner, name }: PromptName): string =>
  `${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
export const promptKey = ({ owner, name }: PromptName) => ['prompt', owner, name];

/** Repositories matching a text, last changed first (GET /repos). */
export const reposQuery = (query: string, repo_type: RepoType) =>
  queryOptions({
    queryKey: ['prompts', repo_type, query],
    queryFn: ({ signal }) =>
      get<{ repos: Repo[]; total: number }>('/repos', {
        query: { query, repo_type, limit: MAX_REPOS },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

export const promptQuery = (prompt: PromptName) =>
  queryOptions({
    queryKey: promptKey(prompt),
    queryFn: async ({ signal }) => (await get<{ repo: Repo }>(`/repos/${pathOf(prompt)}`, { signal })).repo,
    staleTime: 60_000,
  });

/** A page of commits with their models, newest first (GET /commits/{owner}/{name}). */
export const commitsQuery = (prompt: PromptName, offset: number) =>
  queryOptions({
    queryKey: [...promptKey(prompt), 'commits', offset],
    queryFn: ({ signal }) =>
      get<{ commits: Commit[]; total: number }>(`/commits/${pathOf(prompt)}`, {
        query: { include_model: true, limit: COMMITS_PAGE, offset },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

/** A commit by hash prefix or tag, as programs pull it. */
export const commitQuery = (prompt: PromptName, ref: string) =>
  queryOptions({
    queryKey: [...promptKey(prompt), 'commit', ref],
    queryFn: ({ signal }) =>
      get<Pick<Commit, 'commit_hash' | 'manifest'>>(`/commits/${pathOf(prompt)}/${encodeURIComponent(ref)}`, {
        query: { include_model: true },
        signal,
      }),
    staleTime: Infinity,
  });

export const tagsQuery = (prompt: PromptName) =>
  queryOptions({
    queryKey: [...promptKey(prompt), 'tags'],
    queryFn: ({ signal }) => get<PromptTag[]>(`/repos/${pathOf(prompt)}/tags`, { signal }),
  });

/** Moves an existing tag. */
export const setTag = (prompt: PromptName, tag_name: string, commit_id: string): Promise<PromptTag> =>
  post(`/repos/${pathOf(prompt)}/tags`, { tag_name, commit_id });
export const removeTag = (prompt: PromptName, tag: string): Promise<void> =>
  remove(`/repos/${pathOf(prompt)}/tags/${encodeURIComponent(tag)}`);
export const deletePrompt = (prompt: PromptName): Promise<void> => remove(`/repos/${pathOf(prompt)}`);
