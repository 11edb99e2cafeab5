import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addExample, createDataset, datasetsQuery } from '../../api/tracing-datasets.ts';
import type { Run } from '../../api/tracing-records.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';

const NEW = 'new';

/** Makes an example of a run: what it was given is what an agent will be asked, what it answered is what is expected. */
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
        <Text role="status">The run is an example of the dataset now.</Text>
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
      <ErrorNotice error={error ?? add.error} title="The example was not added" />
      <NativeSelect
        label="Dataset"
        value={dataset}
        data={[
          ...(datasets ?? []).map(({ id, name: label }) => ({ value: id, label })),
          { value: NEW, label: 'A new one…' },
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
        Its inputs are what will be asked, its outputs what is expected.
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
