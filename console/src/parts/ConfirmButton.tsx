import { Button, type ButtonProps, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { ErrorNotice } from './ErrorNotice.tsx';

export interface ConfirmButtonProps extends ButtonProps {
  /** What is done, in a word or two. */
  label: string;
  /** What to know before. */
  question: ReactNode;
  isDangerous?: boolean;
  /** Where the label alone does not say what of. */
  'aria-label'?: string;
  onConfirm: () => Promise<unknown>;
}

/** Does something after it was asked whether to; what is refused is said where it was asked. */
export function ConfirmButton({ label, question, isDangerous, onConfirm, ...button }: ConfirmButtonProps) {
  const [isOpen, dialog] = useDisclosure(false);
  const doing = useMutation({
    mutationFn: onConfirm,
    onSuccess: () => {
      dialog.close();
      // The button may be gone with what it was for: reading goes on at the top of the page.
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
