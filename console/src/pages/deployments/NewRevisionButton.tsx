import { Button, Radio, Slider, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from 'react-router';
import type { Deployment } from '../../api/control-plane-records.ts';
import { createRevision, deploymentKey } from '../../api/control-plane.ts';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { useFormDialog } from '../../parts/use-form-dialog.ts';

const FIRST = { reason: '', isTried: false, percent: 10 };

/** Makes a revision of the source as it is now: one that takes over, or one that is tried on a part of the threads. */
export function NewRevisionButton({ deployment: { id, active_revision_id } }: { deployment: Deployment }) {
  const navigate = useNavigate();
  const { open, state, values, set, field } = useFormDialog({
    first: FIRST,
    rows: deploymentKey(id),
    send: ({ reason, isTried, percent }) =>
      createRevision(id, {
        reason: reason.trim() || 'made from the console',
        ...(isTried && { canary: percent > 0 ? { percent } : {} }),
      }),
    onSent: (revision) => navigate(`/deployments/${id}/revisions/${revision.id}`),
  });
  return (
    <>
      <Button variant="default" onClick={open}>
        New revision
      </Button>
      <FormDialog form={state} title="New revision" action="Make revision" refusal="No revision was made">
        <Text size="sm">It is made of the source as it is now, with the environment as it is.</Text>
        <TextInput
          label="Why"
          description="For the timeline and the audit log"
          data-autofocus
          {...field('reason')}
        />
        <Radio.Group
          label="When it is well"
          value={values.isTried ? 'tried' : 'serves'}
          onChange={(value) => set({ isTried: value === 'tried' })}
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
        {values.isTried && (
          <div>
            <Text size="sm" mb={6}>
              Share of the threads: <span className="numeric">{values.percent} %</span>
            </Text>
            <Slider
              thumbLabel="Share of the threads, in percent"
              value={values.percent}
              onChange={(percent) => set({ percent })}
              step={5}
              label={null}
            />
            <Text size="xs" c="dimmed" mt={6}>
              It loses its share by itself when it fails more often than the one that serves. With 0 % it is
              reached at its own address alone.
            </Text>
          </div>
        )}
      </FormDialog>
    </>
  );
}
