import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { ErrorNotice } from './ErrorNotice.tsx';
import type { FormDialogState } from './use-form-dialog.ts';

/** The dialog of `useFormDialog`: the fields, what was wrong with them, and the button that sends them. */
export const FormDialog = ({
  form,
  title,
  action,
  refusal,
  size = 'md',
  done,
  children,
}: {
  form: FormDialogState;
  title: string;
  /** What the button says. */
  action: string;
  /** What is said when it was not taken. */
  refusal: string;
  size?: 'md' | 'lg';
  /** In place of the form once it was taken, where that does not close it. */
  done?: ReactNode;
  children: ReactNode;
}) => (
  <Dialog title={title} isOpen={form.isOpen} onClose={form.close} size={size}>
    {done ?? (
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          form.send();
        }}
      >
        <Stack gap="md">
          {children}
          <ErrorNotice error={form.error} title={refusal} hide={form.names} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={form.close}>
              Cancel
            </Button>
            <Button type="submit" loading={form.isSending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    )}
  </Dialog>
);
