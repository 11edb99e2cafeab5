import { Button, Radio, Slider, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from 'react-router';
import type { Deployment } from '../../api/control-plane-records.ts';
import { createRevision, deploymentKey } from '../../api/control-plane.ts';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { useFormDialog } from '../../parts/use-form-dialog.ts';

const FIRST = { reason: '', isTried: false, percent: 10 };

/** Creates a revision from the current source, either to replace the active one or as a canary. */
export function NewRevisionButton({ deployment: { id, active_revision_id } }: { deployment: Deployment }) {
  const navigate = useNavigate();
  const { open, state, values, set, field } = useFormDialog({
    first: FIRST,
    rows: deploymentKey(id),
    send: ({ reason, isTried, percent }) =>
      createRevision(id, {
        reason: reason.trim() || 'created in the console',
        ...(isTried && { canary: percent > 0 ? { percent } : {} }),
      }),
    onSent: (revision) => navigate(`/deployments/${id}/revisions/${revision.id}`),
  });
  return (
    <>
      <Button variant="default" onClick={open}>
        New revision
      </Button>
      <FormDialog
        form={state}
        title="New revision"
        action="Create revision"
        refusal="Could not create the revision"
      >
        <Text size="sm">Builds the current source with the current environment.</Text>
        <TextInput
          label="Reason"
          description="Shown in the timeline and the audit log"
          data-autofocus
          {...field('reason')}
        />
        <Radio.Group
          label="When healthy"
          value={values.isTried ? 'tried' : 'serves'}
          onChange={(value) => set({ isTried: value === 'tried' })}
        >
          <Stack gap={6} mt={6}>
            <Radio value="serves" label="Replace the active revision" />
            <Radio
              value="tried"
              disabled={!active_revision_id}
              label="Run as a canary for a share of threads"
            />
          </Stack>
        </Radio.Group>
        {values.isTried && (
          <div>
            <Text size="sm" mb={6}>
              Share of the threads: <span className="numeric">{values.percent} %</span>
            </Text>
            <Slider
              thumbLabel="Share of threads, in percent"
              value={values.percent}
              onChange={(percent) => set({ percent })}
              step={5}
              label={null}
            />
            <Text size="xs" c="dimmed" mt={6}>
              The canary loses its share automatically if it fails more often than the active revision. At 0%
              it is only available at its own address.
            </Text>
          </div>
        )}
      </FormDialog>
    </>
  );
}
