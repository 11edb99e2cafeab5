import { Button, Group, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { shareKey, shareQuery, shareRun, unshareRun } from '../../api/tracing-shares.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';

/** A link under which anyone reads a trace, for as long as it is shared. */
export function ShareButton({ runId }: { runId: string }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Share
      </Button>
      <Dialog isOpen={isOpen} onClose={dialog.close} title="Share this trace">
        {isOpen && <ShareForm runId={runId} />}
      </Dialog>
    </>
  );
}

function ShareForm({ runId }: { runId: string }) {
  const client = useQueryClient();
  const { data: share, error } = useQuery(shareQuery(runId));
  const onSuccess = () => client.invalidateQueries({ queryKey: shareKey(runId) });
  const make = useMutation({ mutationFn: () => shareRun(runId), onSuccess });
  const end = useMutation({ mutationFn: () => unshareRun(runId), onSuccess });
  const link = share ? `${location.origin}/traces/shared/${share.share_token}` : '';
  return (
    <>
      <ErrorNotice error={error ?? make.error ?? end.error} />
      <Text size="sm" mb="sm">
        {share
          ? 'Anyone who has this link reads all runs of the trace, without signing in.'
          : 'A link shows all runs of this trace to anyone who has it, until you end that.'}
      </Text>
      {share && (
        <TextInput
          readOnly
          label="Link"
          value={link}
          rightSection={<CopyButton text={link} label="Copy the link" />}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
      <Group justify="flex-end" mt="md">
        {share ? (
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            Share no longer
          </Button>
        ) : (
          <Button loading={make.isPending} disabled={share === undefined} onClick={() => make.mutate()}>
            Make a link
          </Button>
        )}
      </Group>
    </>
  );
}
