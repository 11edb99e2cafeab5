import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { sessionQuery } from '../../api/session.ts';
import {
  commitQuery,
  COMMITS_PAGE,
  commitsQuery,
  deletePrompt,
  type PromptName,
  promptQuery,
  type Repo,
  tagsQuery,
} from '../../api/tracing-prompts.ts';
import { ConfirmButton } from '../../parts/ConfirmButton.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { CommitList } from './CommitList.tsx';
import { CommitPanel } from './CommitPanel.tsx';
import { pushPrompt } from './prompt-commands.ts';
import classes from './PromptPage.module.css';

/** A prompt with its commits, one of them in full. */
export function Component() {
  const params = useParams() as { owner?: string; name: string; commit?: string };
  // The Python client prints `name:commit`.
  const [name, after] = params.name.split(':', 2) as [string, string | undefined];
  const prompt: PromptName = { owner: params.owner ?? '-', name };
  const { data: repo, error } = useQuery(promptQuery(prompt));
  if (repo) return <PromptView repo={repo} prompt={prompt} wanted={params.commit ?? after ?? 'latest'} />;
  return (
    <>
      <PageHeader title={name} parents={[{ label: 'Prompts', to: '/prompts' }]} />
      <ErrorNotice error={error} title="Could not load this prompt" />
      {!error && <Skeleton height={300} />}
    </>
  );
}

function PromptView({ repo, prompt, wanted }: { repo: Repo; prompt: PromptName; wanted: string }) {
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const [search, setSearch] = useSearch();
  const offset = Number(search.get('offset') ?? 0);
  const commits = useQuery(commitsQuery(prompt, offset));
  const { data: tags = [] } = useQuery(tagsQuery(prompt));
  const tagged = tags.find(({ tag_name }) => tag_name === wanted)?.commit_hash;
  const hash = wanted === 'latest' ? repo.last_commit_hash : (tagged ?? wanted);
  const listed = commits.data?.commits.find(({ commit_hash }) => hash && commit_hash.startsWith(hash));
  // Fetches commits that are on another page of the list.
  const pulled = useQuery({
    ...commitQuery(prompt, hash ?? ''),
    enabled: Boolean(hash) && commits.data !== undefined && !listed,
  });
  const commit = listed ?? pulled.data;
  const isOwn = session?.tenant_id === repo.tenant_id || prompt.owner === '-';
  const base = prompt.owner === '-' ? `/prompts/${prompt.name}` : `/hub/${prompt.owner}/${prompt.name}`;
  return (
    <>
      <PageHeader
        title={prompt.owner === '-' ? repo.repo_handle : repo.full_name}
        parents={[{ label: 'Prompts', to: '/prompts' }]}
        actions={
          isOwn && (
            <ConfirmButton
              label="Delete"
              question="This deletes all commits and tags. Programs that pull it will fail."
              isDangerous
              onConfirm={async () => {
                await deletePrompt(prompt);
                await navigate('/prompts');
              }}
            />
          )
        }
      >
        {repo.description && <span>{repo.description}</span>}
        <span>{repo.is_public ? 'public' : 'private'}</span>
        {repo.tags.length > 0 && <span>{repo.tags.join(', ')}</span>}
      </PageHeader>
      <ErrorNotice error={commits.error ?? pulled.error} title="Could not load this commit" />
      {repo.num_commits === 0 && <EmptyState title="No commits yet" command={pushPrompt()} />}
      {repo.num_commits > 0 && (
        <div className={classes.columns}>
          <CommitList
            commits={commits.data?.commits}
            tags={tags}
            chosen={commit?.commit_hash}
            pathOf={(chosen) => `${base}/${chosen.slice(0, 8)}?${search}`}
            offset={offset}
            hasMore={(commits.data?.total ?? 0) > offset + COMMITS_PAGE}
            onTurn={(to) => setSearch(to ? { offset: String(to) } : {})}
          />
          {commit ? (
            <CommitPanel
              key={commit.commit_hash}
              prompt={prompt}
              repo={repo}
              commit={commit}
              id={listed?.id}
              tags={tags.filter(({ commit_hash }) => commit_hash === commit.commit_hash)}
              isOwn={isOwn}
            />
          ) : (
            !pulled.error && <Skeleton height={300} />
          )}
        </div>
      )}
    </>
  );
}
