import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { createKey, keysQuery } from '../../api/workspace.ts';
import { Command } from '../../parts/Command.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { useFormDialog } from '../../parts/use-form-dialog.ts';
import { ROLES } from './roles.ts';

const DAY_MS = 86_400_000;
const ENDS = [
  { value: '', label: 'never' },
  { value: '7', label: 'in 7 days' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
];

/** Creates an API key and shows it once. */
export function NewKeyButton() {
  const { open, state, field, sent } = useFormDialog({
    first: { name: '', role: 'deployer', days: '90' },
    rows: keysQuery.queryKey,
    send: ({ name, role, days }) =>
      createKey({
        name: name.trim(),
        role,
        expires_at: days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null,
      }),
    onSent: () => undefined,
  });
  return (
    <>
      <Button leftSection={<Icon name="plus" size={14} />} onClick={open}>
        New key
      </Button>
      <FormDialog
        form={state}
        title={sent ? 'API key created' : 'New key'}
        action="Create key"
        refusal="Could not create the key"
        done={
          sent && (
            <Stack gap="md">
              <Text size="sm">Copy the key now. It cannot be shown again.</Text>
              <Command text={sent.key} label="Key" />
              <Group justify="flex-end">
                <Button onClick={state.close}>Done</Button>
              </Group>
            </Stack>
          )
        }
      >
        <TextInput label="Name" description="What it is for" data-autofocus {...field('name')} />
        <NativeSelect
          label="Role"
          data={ROLES.map(([value, may]) => ({ value, label: `${value}: ${may}` }))}
          {...field('role')}
        />
        <NativeSelect label="Expires" data={ENDS} {...field('days')} />
      </FormDialog>
    </>
  );
}
