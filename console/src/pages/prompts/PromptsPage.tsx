import { Anchor, Group, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { type Repo, type RepoType, reposQuery } from '../../api/tracing-prompts.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { Count } from '../traces/numbers.tsx';
import { pushPrompt } from './prompt-commands.ts';

const TYPES: { value: RepoType; label: string }[] = [
  { value: 'prompt', label: 'Prompts' },
  { value: 'agent', label: 'Agents' },
  { value: 'skill', label: 'Skills' },
];

const COLUMNS: Column<Repo>[] = [
  {
    id: 'name',
    header: 'Name',
    sortBy: ({ repo_handle }) => repo_handle,
    cell: ({ repo_handle, is_public }) => (
      <>
        <Anchor component={Link} to={`/prompts/${repo_handle}`} fw={550}>
          {repo_handle}
        </Anchor>
        {is_public && ' · public'}
      </>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    wideOnly: true,
    cell: ({ description }) => description ?? '–',
  },
  { id: 'tags', header: 'Tags', wideOnly: true, cell: ({ tags }) => tags.join(', ') || '–' },
  {
    id: 'commits',
    header: 'Commits',
    align: 'right',
    width: '86px',
    sortBy: ({ num_commits }) => num_commits,
    cell: ({ num_commits }) => <Count value={num_commits} />,
  },
  {
    id: 'pulls',
    header: 'Pulled',
    align: 'right',
    width: '80px',
    wideOnly: true,
    sortBy: ({ num_downloads }) => num_downloads,
    cell: ({ num_downloads }) => <Count value={num_downloads} />,
  },
  {
    id: 'changed',
    header: 'Changed',
    align: 'right',
    width: '120px',
    sortBy: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <TimeText at={updated_at} />,
  },
];

/** Prompts and the versioned directories of agents and skills. */
export function Component() {
  const [search, setSearch] = useSearch();
  const name = search.get('name') ?? '';
  const type = TYPES.find(({ value }) => value === search.get('type')) ?? TYPES[0]!;
  const { data, error, refetch } = useQuery(reposQuery(name, type.value));
  const set = (key: string, value: string): void =>
    setSearch(
      (before) => {
        if (value) before.set(key, value);
        else before.delete(key);
        return before;
      },
      { replace: true },
    );
  return (
    <>
      <PageHeader title="Prompts">
        Prompts that programs pull at run time. Each change is a commit; tags select one.
      </PageHeader>
      <Group gap="xs" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label="Kind"
          value={type.value}
          data={TYPES}
          onChange={(value) => set('type', value)}
        />
        <TextInput
          size="xs"
          aria-label="Search prompts"
          placeholder="Search by name or description"
          leftSection={<Icon name="search" size={13} />}
          value={name}
          onChange={(event) => set('name', event.currentTarget.value)}
          w={260}
        />
      </Group>
      <ErrorNotice error={error} title="Could not load prompts" onRetry={() => void refetch()} />
      {!error && (
        <DataTable
          label={type.label}
          columns={COLUMNS}
          rows={data?.repos}
          rowId={({ id }) => id}
          rowTo={({ repo_handle }) => `/prompts/${repo_handle}`}
          empty={
            name ? (
              <EmptyState title={`Nothing matches “${name}”`} />
            ) : type.value === 'prompt' ? (
              <EmptyState title="No prompts yet" command={pushPrompt()}>
                Change prompts here without rebuilding the programs that use them. To push one:
              </EmptyState>
            ) : (
              <EmptyState title={`No ${type.label.toLowerCase()} yet`}>
                Push them as directories with the LangSmith SDK.
              </EmptyState>
            )
          }
        />
      )}
    </>
  );
}
