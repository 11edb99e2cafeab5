import { Button, type ButtonProps, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
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
  const doing = useMutation({ mutationFn: onConfirm, onSuccess: dialog.close });
  const open = (): void => {
    doing.reset();
    dialog.open();
  };
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={label}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
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
      </Modal>
    </>
  );
}
