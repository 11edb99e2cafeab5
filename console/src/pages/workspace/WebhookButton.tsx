import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Integration } from '../../api/integration-records.ts';
import { integrationsQuery, rotateWebhookSecret } from '../../api/integrations.ts';
import { Command } from '../../parts/Command.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';

const EVENTS = {
  github: 'content type application/json and the events push and pull request',
  gitlab: 'push events and merge request events',
};

/** Shows the webhook settings for the git host and creates its signing secret. */
export function WebhookButton({ integration }: { integration: Integration }) {
  const { id, name, kind, webhook_url, has_webhook_secret } = integration;
  const [isOpen, dialog] = useDisclosure(false);
  const queries = useQueryClient();
  const rotating = useMutation({
    mutationFn: () => rotateWebhookSecret(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
  });
  const open = (): void => {
    rotating.reset();
    dialog.open();
  };
  return (
    <>
      <Button size="compact-xs" variant="subtle" aria-label={`Webhook of ${name}`} onClick={open}>
        Webhook
      </Button>
      <Dialog title={`Webhook of ${name}`} isOpen={isOpen} onClose={dialog.close}>
        <Stack gap="md">
          <Text size="sm">
            Add a webhook to the repository, or to the whole organisation, with {EVENTS[kind]}.
          </Text>
          <div>
            <Text size="sm" fw={500} mb={4}>
              Address
            </Text>
            <Command text={webhook_url} label="Address" />
          </div>
          {rotating.data ? (
            <div>
              <Text size="sm" fw={500} mb={4}>
                Secret, shown only once
              </Text>
              <Command text={rotating.data.webhook_secret} label="Secret" />
            </div>
          ) : (
            <Text size="sm">
              {has_webhook_secret
                ? 'A secret is set. A new one replaces it immediately, so update the git host right away.'
                : 'Events must be signed with a secret. Without one they are ignored.'}
            </Text>
          )}
          <ErrorNotice error={rotating.error} title="Could not create a secret" />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={dialog.close}>
              {rotating.data ? 'Done' : 'Close'}
            </Button>
            {!rotating.data && (
              <Button loading={rotating.isPending} onClick={() => rotating.mutate()}>
                {has_webhook_secret ? 'Create new secret' : 'Create secret'}
              </Button>
            )}
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
