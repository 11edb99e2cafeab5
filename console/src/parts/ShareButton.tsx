import { Button, Group, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CopyButton } from './CopyButton.tsx';
import { Dialog } from './Dialog.tsx';
import { ErrorNotice } from './ErrorNotice.tsx';

/** Describes something that can be shared by link. */
export interface Sharing {
  /** `Share this trace`. */
  title: string;
  /** Explanations with and without a link. */
  whenShared: string;
  whenNot: string;
  query: {
    queryKey: string[];
    queryFn: (asked: { signal: AbortSignal }) => Promise<{ share_token: string } | null>;
  };
  share: () => Promise<unknown>;
  unshare: () => Promise<unknown>;
  /** Path of the public page. */
  pathOf: (token: string) => string;
}

/** Creates and revokes a public link. */
export function ShareButton({ sharing }: { sharing: Sharing }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Share
      </Button>
      <Dialog isOpen={isOpen} onClose={dialog.close} title={sharing.title}>
        {isOpen && <ShareForm sharing={sharing} />}
      </Dialog>
    </>
  );
}

function ShareForm({
  sharing: { query, share, unshare, pathOf, whenShared, whenNot },
}: {
  sharing: Sharing;
}) {
  const client = useQueryClient();
  const { data: shared, error } = useQuery(query);
  const onSuccess = () => client.invalidateQueries({ queryKey: query.queryKey });
  const make = useMutation({ mutationFn: share, onSuccess });
  const end = useMutation({ mutationFn: unshare, onSuccess });
  const link = shared ? `${location.origin}${pathOf(shared.share_token)}` : '';
  return (
    <>
      <ErrorNotice error={error ?? make.error ?? end.error} />
      <Text size="sm" mb="sm">
        {shared ? whenShared : whenNot}
      </Text>
      {shared && (
        <TextInput
          readOnly
          label="Link"
          value={link}
          rightSection={<CopyButton text={link} label="Copy link" />}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
      <Group justify="flex-end" mt="md">
        {shared ? (
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            Stop sharing
          </Button>
        ) : (
          <Button loading={make.isPending} disabled={shared === undefined} onClick={() => make.mutate()}>
            Create link
          </Button>
        )}
      </Group>
    </>
  );
}
