import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { ErrorNotice } from './ErrorNotice.tsx';
import type { FormDialogState } from './use-form-dialog.ts';

/** Dialog for `useFormDialog` with fields, errors and a submit button. */
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
  /** Label of the submit button. */
  action: string;
  /** Title of errors. */
  refusal: string;
  size?: 'md' | 'lg';
  /** Replaces the form after success unless the dialog closes. */
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
