import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addExample, createDataset, datasetsQuery } from '../../api/tracing-datasets.ts';
import type { Run } from '../../api/tracing-records.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';

const NEW = 'new';

/** Creates an example from a run's inputs and outputs. */
export function AddToDataset({ run }: { run: Run }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Add to dataset
      </Button>
      <Dialog isOpen={isOpen} onClose={dialog.close} title="Add to dataset">
        {isOpen && <AddForm run={run} onClose={dialog.close} />}
      </Dialog>
    </>
  );
}

function AddForm({ run, onClose }: { run: Run; onClose: () => void }) {
  const client = useQueryClient();
  const { data: datasets, error } = useQuery(datasetsQuery());
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState('');
  const dataset = chosen ?? datasets?.[0]?.id ?? NEW;
  const add = useMutation({
    mutationFn: async () =>
      addExample(dataset === NEW ? (await createDataset({ name })).id : dataset, run.id),
    onSuccess: () => client.invalidateQueries({ queryKey: ['datasets'] }),
  });
  if (add.isSuccess)
    return (
      <>
        <Text role="status">Added to the dataset.</Text>
        <Group justify="flex-end" mt="md">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <ErrorNotice error={error ?? add.error} title="Could not add the example" />
      <NativeSelect
        label="Dataset"
        value={dataset}
        data={[
          ...(datasets ?? []).map(({ id, name: label }) => ({ value: id, label })),
          { value: NEW, label: 'New dataset…' },
        ]}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      {dataset === NEW && (
        <TextInput
          mt="sm"
          label="Name of the new dataset"
          value={name}
          required
          withAsterisk={false}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <Text size="sm" c="dimmed" mt="sm">
        The run’s inputs become the example’s inputs, its outputs the expected outputs.
      </Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={add.isPending}>
          Add
        </Button>
      </Group>
    </form>
  );
}
