import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { objectFault } from '../../parts/json-text.ts';
import { useSearch } from '../../parts/use-search.ts';

const THREAD_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Filters for threads. Entering an id opens the thread. */
export function ThreadFilters({ deploymentId }: { deploymentId: string }) {
  const [search, setSearch] = useSearch();
  const [metadata, setMetadata] = useState(search.get('metadata') ?? '');
  const [values, setValues] = useState(search.get('values') ?? '');
  const [id, setId] = useState('');
  const navigate = useNavigate();
  const set = (given: Record<string, string>): void =>
    setSearch(
      (before) => {
        before.delete('offset');
        for (const [name, value] of Object.entries(given))
          if (value.trim()) before.set(name, value);
          else before.delete(name);
        return before;
      },
      { replace: true },
    );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (THREAD_ID.test(id.trim())) void navigate(`/threads/${deploymentId}/${id.trim()}`);
    else if (!objectFault(metadata) && !objectFault(values)) set({ metadata, values });
  };
  return (
    <form onSubmit={submit} aria-label="Filter threads">
      <Group gap="xs" mb="md" align="flex-start">
        <NativeSelect
          size="xs"
          aria-label="Status"
          value={search.get('status') ?? ''}
          onChange={(event) => set({ status: event.currentTarget.value })}
          data={[{ value: '', label: 'Any status' }, 'idle', 'busy', 'interrupted', 'error']}
        />
        <TextInput
          size="xs"
          style={{ flex: '1 1 190px', maxWidth: 230 }}
          aria-label="Metadata contains"
          placeholder={'Metadata: {"user": "ada"}'}
          value={metadata}
          onChange={(event) => setMetadata(event.currentTarget.value)}
          error={objectFault(metadata)}
        />
        <TextInput
          size="xs"
          style={{ flex: '1 1 190px', maxWidth: 230 }}
          aria-label="Values contain"
          placeholder={'Values: {"topic": "boats"}'}
          value={values}
          onChange={(event) => setValues(event.currentTarget.value)}
          error={objectFault(values)}
        />
        <TextInput
          size="xs"
          style={{ flex: '1 1 160px', maxWidth: 200 }}
          aria-label="Thread id"
          placeholder="Go to a thread id"
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          error={id && !THREAD_ID.test(id.trim()) ? 'Must be a UUID' : undefined}
        />
        <Button type="submit" variant="default">
          Search
        </Button>
      </Group>
    </form>
  );
}
