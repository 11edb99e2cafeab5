import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Deployment } from '../../api/control-plane-records.ts';
import { createPushToken } from '../../api/control-plane.ts';
import { Command } from '../../parts/Command.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Section } from '../../parts/Section.tsx';

/** Creates a push token and shows the commands to push an image. */
export function PushPanel({ deployment: { id } }: { deployment: Deployment }) {
  const making = useMutation({ mutationFn: () => createPushToken(id) });
  const { data } = making;
  const host = data?.registry_url.split('/', 1)[0];
  return (
    <Section title="Push an image">
      <Stack gap="sm" maw={820}>
        {!data && (
          <>
            <Text size="sm">
              This deployment has its own image repository on the platform. A push token is valid for a
              limited time and for this repository only.
            </Text>
            <Group>
              <Button loading={making.isPending} onClick={() => making.mutate()}>
                Create push token
              </Button>
            </Group>
          </>
        )}
        <ErrorNotice error={making.error} title="Could not create a token" />
        {data && (
          <>
            <Text size="sm">Sign in with the token, which is shown only once:</Text>
            <Command
              label="Sign-in command"
              text={`echo ${data.token} | docker login -u ${data.username} --password-stdin ${host}`}
            />
            <Text size="sm">Push your agent server image:</Text>
            <Command
              label="Push command"
              text={`docker tag my-agent:1 ${data.repository_url}:1\ndocker push ${data.repository_url}:1`}
            />
            <Text size="sm">Then deploy it under Edit, or run</Text>
            <Command
              label="Deploy command"
              text={`curl -s -X PATCH -H "X-Api-Key: $KEY" -H 'content-type: application/json' ${location.origin}/v2/deployments/${id} -d '{"source_revision_config":{"image_uri":"${data.repository_url}:1"}}'`}
            />
          </>
        )}
      </Stack>
    </Section>
  );
}
