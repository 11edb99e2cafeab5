import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { createDataset } from '../../api/tracing-datasets.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';

/** Creates an empty dataset and opens it. */
export function NewDatasetForm({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const making = useMutation({
    mutationFn: () => createDataset({ name, ...(description && { description }) }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['datasets'] });
      void navigate(`/datasets/${id}`);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        making.mutate();
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Name"
          data-autofocus
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Description"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <ErrorNotice error={making.error} title="Could not create the dataset" />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={making.isPending}>
            Create dataset
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
