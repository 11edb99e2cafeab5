import { Button, NativeSelect, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { addToQueue, queuesQuery } from '../../api/tracing-queues.ts';
import type { Run } from '../../api/tracing-records.ts';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { useFormDialog } from '../../parts/use-form-dialog.ts';

/** Adds a run to an annotation queue. */
export function AddToQueue({ run }: { run: Run }) {
  const queryClient = useQueryClient();
  const { open, state, values, set, sent } = useFormDialog({
    first: { queue: '' },
    send: async ({ queue }): Promise<string> => {
      // The user may submit before the default queue has loaded.
      const [first] = await queryClient.ensureQueryData(queuesQuery);
      const id = queue || (first?.id ?? '');
      await addToQueue(id, run.id);
      return id;
    },
    rows: queuesQuery.queryKey,
    onSent: () => undefined,
  });
  const { data: queues } = useQuery({ ...queuesQuery, enabled: state.isOpen });
  return (
    <>
      <Button variant="default" onClick={open}>
        Add to queue
      </Button>
      <FormDialog
        form={state}
        title="Add to queue"
        action="Add"
        refusal="Could not add the run"
        done={
          sent !== undefined ? (
            <Text role="status">
              Added to the queue. <Link to={`/review/${sent}`}>Open queue</Link>
            </Text>
          ) : queues?.length === 0 ? (
            <Text>
              No queues yet. <Link to="/review">Create one</Link>
            </Text>
          ) : undefined
        }
      >
        <NativeSelect
          label="Queue"
          value={values.queue}
          data={(queues ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => set({ queue: event.currentTarget.value })}
        />
      </FormDialog>
    </>
  );
}
