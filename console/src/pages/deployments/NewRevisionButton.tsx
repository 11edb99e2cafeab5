import { Button, Group, Radio, Slider, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Deployment } from '../../api/control-plane-records.ts';
import { createRevision, deploymentKey } from '../../api/control-plane.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';

const FIRST_SHARE = 10;

/** Makes a revision of the source as it is now: one that takes over, or one that is tried on a part of the threads. */
export function NewRevisionButton({ deployment: { id, active_revision_id } }: { deployment: Deployment }) {
  const [isOpen, dialog] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  const [percent, setPercent] = useState(FIRST_SHARE);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const making = useMutation({
    mutationFn: () =>
      createRevision(id, {
        reason: reason.trim() || 'made from the console',
        ...(isTried && { canary: percent > 0 ? { percent } : {} }),
      }),
    onSuccess: async (revision) => {
      await queries.invalidateQueries({ queryKey: deploymentKey(id) });
      dialog.close();
      await navigate(`/deployments/${id}/revisions/${revision.id}`);
    },
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        New revision
      </Button>
      <Dialog isOpen={isOpen} onClose={dialog.close} title="New revision">
        <Stack gap="md">
          <Text size="sm">It is made of the source as it is now, with the environment as it is.</Text>
          <TextInput
            label="Why"
            description="For the timeline and the audit log"
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Radio.Group
            label="When it is well"
            value={isTried ? 'tried' : 'serves'}
            onChange={(value) => setTried(value === 'tried')}
          >
            <Stack gap={6} mt={6}>
              <Radio value="serves" label="it takes over" />
              <Radio
                value="tried"
                disabled={!active_revision_id}
                label="it is tried on a part of the threads, beside the one that serves"
              />
            </Stack>
          </Radio.Group>
          {isTried && (
            <div>
              <Text size="sm" mb={6}>
                Share of the threads: <span className="numeric">{percent} %</span>
              </Text>
              <Slider
                thumbLabel="Share of the threads, in percent"
                value={percent}
                onChange={setPercent}
                step={5}
                label={null}
              />
              <Text size="xs" c="dimmed" mt={6}>
                It loses its share by itself when it fails more often than the one that serves. With 0 % it is
                reached at its own address alone.
              </Text>
            </div>
          )}
          <ErrorNotice error={making.error} title="No revision was made" />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={dialog.close}>
              Cancel
            </Button>
            <Button loading={making.isPending} onClick={() => making.mutate()}>
              Make revision
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
