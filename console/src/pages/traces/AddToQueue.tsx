import { Button, NativeSelect, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { addToQueue, queuesQuery } from '../../api/tracing-queues.ts';
import type { Run } from '../../api/tracing-records.ts';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { useFormDialog } from '../../parts/use-form-dialog.ts';

/** Puts a run where people are to look at it. */
export function AddToQueue({ run }: { run: Run }) {
  const queryClient = useQueryClient();
  const { open, state, values, set, sent } = useFormDialog({
    first: { queue: '' },
    send: async ({ queue }): Promise<string> => {
      // A quick click comes before the list that the first queue is chosen from.
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
        refusal="The run was not added"
        done={
          sent !== undefined ? (
            <Text role="status">
              It waits there to be looked at. <Link to={`/review/${sent}`}>To the queue</Link>
            </Text>
          ) : queues?.length === 0 ? (
            <Text>
              There is no queue yet. <Link to="/review">Make one</Link>
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
