import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Integration } from '../../api/integration-records.ts';
import { createIntegration, integrationsQuery, patchIntegration } from '../../api/integrations.ts';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { useFormDialog } from '../../parts/use-form-dialog.ts';
import { changedCredentials } from './credentials.ts';
import { CredentialFields } from './CredentialFields.tsx';
import { readRepositories, repositoryLines } from './repository-lines.ts';

const KINDS = [
  { value: 'github', label: 'GitHub' },
  { value: 'gitlab', label: 'GitLab' },
];

/** Creates or edits an integration. */
export function IntegrationButton({ integration }: { integration?: Integration }) {
  const { open, state, values, set, field } = useFormDialog({
    first: {
      name: '',
      kind: 'github',
      url: integration?.url ?? '',
      token: '',
      username: '',
      ssh_key: '',
      ssh_known_hosts: '',
      removed: [] as string[],
      repositories: repositoryLines(integration?.repositories ?? []),
    },
    rows: integrationsQuery.queryKey,
    send: async ({ name, kind, url, repositories, removed, ...credentials }) => {
      const changes = {
        ...(url.trim() && url.trim() !== integration?.url && { url: url.trim() }),
        ...changedCredentials(credentials, removed),
        repositories: readRepositories(repositories),
      };
      if (integration) return patchIntegration(integration.id, changes);
      return createIntegration({ name: name.trim(), kind, ...changes });
    },
  });
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
      <FormDialog
        form={state}
        title={title}
        action={integration ? 'Save' : 'Add'}
        refusal="Could not save"
        size="lg"
      >
        {!integration && (
          <>
            <TextInput label="Name" data-autofocus {...field('name')} />
            <NativeSelect label="Host" data={KINDS} {...field('kind')} />
          </>
        )}
        <TextInput
          label="Address"
          description="For a self-hosted server; leave empty for the hosted service"
          placeholder={integration ? integration.url : `https://${values.kind}.com`}
          {...(integration && { 'data-autofocus': true })}
          {...field('url')}
        />
        <CredentialFields
          integration={integration}
          field={field}
          removed={values.removed}
          onRemove={(removed) => set({ removed })}
        />
        <Textarea
          label="Repositories"
          description="Offered when a deployment is made: an address a line, and the branch behind it where that is not main"
          placeholder={`${values.url || `https://${values.kind}.com`}/acme/agent.git`}
          autosize
          minRows={2}
          maxRows={6}
          classNames={{ input: 'mono' }}
          {...field('repositories')}
        />
      </FormDialog>
    </>
  );
}
