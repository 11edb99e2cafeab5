import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createKey, keysQuery } from '../../api/workspace.ts';
import { Command } from '../../parts/Command.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { faultAt } from '../../parts/field-faults.ts';
import { Icon } from '../../parts/Icon.tsx';
import { ROLES } from './roles.ts';

const DAY_MS = 86_400_000;
const ENDS = [
  { value: '', label: 'never' },
  { value: '7', label: 'in 7 days' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
];

/** Makes a key, and tells it this once. */
export function NewKeyButton() {
  const [isOpen, dialog] = useDisclosure(false);
  const [name, setName] = useState('');
  const [role, setRole] = useState('deployer');
  const [days, setDays] = useState('90');
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: () =>
      createKey({
        name: name.trim(),
        role,
        expires_at: days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null,
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  const open = (): void => {
    making.reset();
    setName('');
    dialog.open();
  };
  return (
    <>
      <Button leftSection={<Icon name="plus" size={14} />} onClick={open}>
        New key
      </Button>
      <Dialog isOpen={isOpen} onClose={dialog.close} title={making.data ? 'The new key' : 'New key'}>
        {making.data ? (
          <Stack gap="md">
            <Text size="sm">Keep it now: nobody, not even an admin, is told it again.</Text>
            <Command text={making.data.key} label="Key" />
            <Group justify="flex-end">
              <Button onClick={dialog.close}>Done</Button>
            </Group>
          </Stack>
        ) : (
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              making.mutate();
            }}
          >
            <Stack gap="md">
              <TextInput
                label="Name"
                description="What it is for"
                data-autofocus
                value={name}
                error={faultAt(making.error, 'name')}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <NativeSelect
                label="Role"
                value={role}
                onChange={(event) => setRole(event.currentTarget.value)}
                data={ROLES.map(([value, may]) => ({ value, label: `${value}: ${may}` }))}
              />
              <NativeSelect
                label="Ends"
                value={days}
                onChange={(event) => setDays(event.currentTarget.value)}
                data={ENDS}
              />
              <ErrorNotice error={making.error} title="No key was made" hide={['name']} />
              <Group justify="flex-end" gap="xs">
                <Button variant="default" onClick={dialog.close}>
                  Cancel
                </Button>
                <Button type="submit" loading={making.isPending}>
                  Make key
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Dialog>
    </>
  );
}
