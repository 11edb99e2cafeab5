import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createPrice, pricesQuery } from '../../api/workspace.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { perToken } from './per-token.ts';

const EMPTY = { name: '', match_pattern: '', prompt: '', completion: '' };

const FIELDS: [name: keyof typeof EMPTY, label: string, description: string][] = [
  ['name', 'Name', 'What people call it'],
  ['match_pattern', 'Models', 'A regular expression that names of models match, such as ^our-model'],
  ['prompt', 'Dollars for a million tokens of input', ''],
  ['completion', 'Dollars for a million tokens of output', ''],
];

/** Adds a price of one's own. */
export function NewPriceButton() {
  const [isOpen, dialog] = useDisclosure(false);
  const [values, setValues] = useState(EMPTY);
  const queries = useQueryClient();
  const adding = useMutation({
    mutationFn: () =>
      createPrice({
        name: values.name.trim(),
        match_pattern: values.match_pattern.trim(),
        prompt_cost: perToken(values.prompt),
        completion_cost: perToken(values.completion),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: pricesQuery.queryKey });
      setValues(EMPTY);
      dialog.close();
    },
  });
  return (
    <>
      <Button leftSection={<Icon name="plus" size={14} />} onClick={dialog.open}>
        Add price
      </Button>
      <Dialog isOpen={isOpen} onClose={dialog.close} title="Add price">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            adding.mutate();
          }}
        >
          <Stack gap="md">
            {FIELDS.map(([name, label, description]) => (
              <TextInput
                key={name}
                label={label}
                {...(description && { description })}
                value={values[name]}
                onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              />
            ))}
            <ErrorNotice error={adding.error} title="No price was added" />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={dialog.close}>
                Cancel
              </Button>
              <Button type="submit" loading={adding.isPending}>
                Add
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
