import { Button, type ButtonProps, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { ErrorNotice } from './ErrorNotice.tsx';

export interface ConfirmButtonProps extends ButtonProps {
  /** The action, in one or two words. */
  label: string;
  /** Explains the consequences. */
  question: ReactNode;
  isDangerous?: boolean;
  /** For labels that do not name the object. */
  'aria-label'?: string;
  onConfirm: () => Promise<unknown>;
}

/** A button that asks for confirmation and shows errors in the dialog. */
export function ConfirmButton({ label, question, isDangerous, onConfirm, ...button }: ConfirmButtonProps) {
  const [isOpen, dialog] = useDisclosure(false);
  const doing = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => {
      dialog.close();
      // Restores focus if the button disappeared with its object.
      setTimeout(() => {
        if (document.activeElement === document.body) document.getElementById('main')?.focus();
      });
    },
  });
  const open = (): void => {
    doing.reset();
    dialog.open();
  };
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <Dialog title={label} isOpen={isOpen} onClose={dialog.close}>
        <Text size="sm">{question}</Text>
        {doing.error && (
          <div style={{ marginTop: 12 }}>
            <ErrorNotice error={doing.error} />
          </div>
        )}
        <Group justify="flex-end" mt="md" gap="xs">
          <Button variant="default" onClick={dialog.close} data-autofocus>
            Cancel
          </Button>
          <Button
            color={isDangerous ? 'red' : 'accent'}
            loading={doing.isPending}
            onClick={() => doing.mutate()}
          >
            {label}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}
