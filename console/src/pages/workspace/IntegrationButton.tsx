import { Button, Group, NativeSelect, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  createIntegration,
  type Integration,
  integrationsQuery,
  patchIntegration,
} from '../../api/integrations.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { faultAt } from '../../parts/field-faults.ts';
import { Icon } from '../../parts/Icon.tsx';

const EMPTY = { name: '', kind: 'github', url: '', token: '', ssh_key: '' };
const KINDS = [
  { value: 'github', label: 'GitHub' },
  { value: 'gitlab', label: 'GitLab' },
];

/** Adds an integration, or gives the one there is other credentials. */
export function IntegrationButton({ integration }: { integration?: Integration }) {
  const [isOpen, dialog] = useDisclosure(false);
  const [values, setValues] = useState(EMPTY);
  const queries = useQueryClient();
  const kept = integration?.credentials ?? [];
  const saving = useMutation({
    mutationFn: () => {
      const credentials = {
        ...(values.token && { token: values.token.trim() }),
        ...(values.ssh_key && { ssh_key: `${values.ssh_key.trim()}\n` }),
      };
      if (integration) return patchIntegration(integration.id, credentials);
      const { name, kind, url } = values;
      return createIntegration({
        name: name.trim(),
        kind,
        ...(url.trim() && { url: url.trim() }),
        ...credentials,
      });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: integrationsQuery.queryKey });
      dialog.close();
    },
  });
  const open = (): void => {
    saving.reset();
    setValues(EMPTY);
    dialog.open();
  };
  const set = (name: keyof typeof EMPTY) => (event: { currentTarget: { value: string } }) =>
    setValues({ ...values, [name]: event.currentTarget.value });
  const title = integration ? `Edit ${integration.name}` : 'Add integration';
  return (
    <>
      {integration ? (
        <Button size="compact-xs" variant="subtle" aria-label={title} onClick={open}>
          Edit
        </Button>
      ) : (
        <Button leftSection={<Icon name="plus" size={14} />} onClick={open}>
          Add integration
        </Button>
      )}
      <Dialog title={title} isOpen={isOpen} onClose={dialog.close}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            saving.mutate();
          }}
        >
          <Stack gap="md">
            {!integration && (
              <>
                <TextInput
                  label="Name"
                  data-autofocus
                  value={values.name}
                  error={faultAt(saving.error, 'name')}
                  onChange={set('name')}
                />
                <NativeSelect label="Host" value={values.kind} onChange={set('kind')} data={KINDS} />
                <TextInput
                  label="Address"
                  description="Of a host of your own; left empty, the hosted one"
                  placeholder={`https://${values.kind}.com`}
                  value={values.url}
                  error={faultAt(saving.error, 'url')}
                  onChange={set('url')}
                />
              </>
            )}
            <PasswordInput
              size="sm"
              label="Token"
              description="Fetches repositories over https, and reports how far a commit is"
              autoComplete="off"
              {...(integration && { 'data-autofocus': true })}
              placeholder={kept.includes('token') ? 'stays as it is' : ''}
              value={values.token}
              error={faultAt(saving.error, 'token')}
              onChange={set('token')}
            />
            <Textarea
              label="SSH key"
              description="Private key, for repositories over ssh"
              autosize
              minRows={2}
              maxRows={6}
              classNames={{ input: 'mono' }}
              placeholder={
                kept.includes('ssh_key') ? 'stays as it is' : '-----BEGIN OPENSSH PRIVATE KEY-----'
              }
              value={values.ssh_key}
              error={faultAt(saving.error, 'ssh_key')}
              onChange={set('ssh_key')}
            />
            <ErrorNotice
              error={saving.error}
              title="Nothing was changed"
              hide={['name', 'url', 'token', 'ssh_key']}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={dialog.close}>
                Cancel
              </Button>
              <Button type="submit" loading={saving.isPending}>
                {integration ? 'Save' : 'Add'}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
