import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Deployment } from '../../api/control-plane-records.ts';
import { createPushToken } from '../../api/control-plane.ts';
import { Command } from '../../parts/Command.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Section } from '../../parts/Section.tsx';

/** How the image of a deployment is pushed to the platform's registry: a token, and the commands to paste. */
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
              The platform is the registry of this deployment. A token lets an engine push to it, and to
              nothing else, for a while.
            </Text>
            <Group>
              <Button loading={making.isPending} onClick={() => making.mutate()}>
                Make a push token
              </Button>
            </Group>
          </>
        )}
        <ErrorNotice error={making.error} title="There is no token" />
        {data && (
          <>
            <Text size="sm">Sign in with the token, which is told this once:</Text>
            <Command
              label="Sign-in command"
              text={`echo ${data.token} | docker login -u ${data.username} --password-stdin ${host}`}
            />
            <Text size="sm">Push the image, which answers as an agent server:</Text>
            <Command
              label="Push command"
              text={`docker tag my-agent:1 ${data.repository_url}:1\ndocker push ${data.repository_url}:1`}
            />
            <Text size="sm">Then deploy it: enter it under Edit, or</Text>
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
