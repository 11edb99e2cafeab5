import { Button, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from 'react-router';
import { createQueue, queuesQuery } from '../../api/tracing-queues.ts';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { useFormDialog } from '../../parts/use-form-dialog.ts';

/** Creates a queue and opens it. */
export function NewQueueButton() {
  const navigate = useNavigate();
  const { open, state, field } = useFormDialog({
    first: { name: '', rubric_instructions: '' },
    send: ({ name, rubric_instructions }) =>
      createQueue({ name, ...(rubric_instructions && { rubric_instructions }) }),
    rows: queuesQuery.queryKey,
    onSent: ({ id }) => navigate(`/review/${id}`),
  });
  return (
    <>
      <Button leftSection={<Icon name="plus" size={14} />} onClick={open}>
        New queue
      </Button>
      <FormDialog form={state} title="New queue" action="Create queue" refusal="Could not create the queue">
        <TextInput label="Name" data-autofocus {...field('name')} />
        <Textarea
          label="Instructions"
          description="Shown next to each run. Markdown."
          autosize
          minRows={3}
          {...field('rubric_instructions')}
        />
      </FormDialog>
    </>
  );
}
