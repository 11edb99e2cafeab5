import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { objectFault } from '../../parts/json-text.ts';
import { useSearch } from '../../parts/use-search.ts';

/** Searches by meaning (if the store has an index) and by fields. */
export function StoreSearch() {
  const [search, setSearch] = useSearch();
  const [query, setQuery] = useState(search.get('query') ?? '');
  const [filter, setFilter] = useState(search.get('filter') ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (objectFault(filter)) return;
    setSearch(
      (before) => {
        before.delete('offset');
        for (const [name, value] of Object.entries({ query, filter }))
          if (value.trim()) before.set(name, value);
          else before.delete(name);
        return before;
      },
      { replace: true },
    );
  };
  return (
    <form onSubmit={submit} aria-label="Search items">
      <Group gap="xs" mb="md" align="flex-start">
        <TextInput
          size="xs"
          w={210}
          aria-label="Search by meaning"
          placeholder="Search by meaning"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <TextInput
          size="xs"
          w={230}
          aria-label="Filter by value fields"
          placeholder={'Fields: {"kind": {"$eq": "note"}}'}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          error={objectFault(filter)}
        />
        <Button type="submit" variant="default">
          Search
        </Button>
      </Group>
    </form>
  );
}
