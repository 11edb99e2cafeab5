import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

/** A modal dialog. The design system's own header would be a second banner landmark. */
export const Dialog = ({
  title,
  isOpen,
  onClose,
  size = 'md',
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** `lg` for large forms, `xl` for comparisons. */
  size?: 'md' | 'lg' | 'xl';
  children: ReactNode;
}) => (
  <Modal.Root opened={isOpen} onClose={onClose} size={size} centered transitionProps={{ duration: 0 }}>
    <Modal.Overlay />
    <Modal.Content>
      <div style={{ display: 'flex', alignItems: 'center', gap: 12, padding: '14px 16px 10px' }}>
        <Modal.Title style={{ flex: 1, fontWeight: 600, overflowWrap: 'anywhere' }}>{title}</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      <Modal.Body>{children}</Modal.Body>
    </Modal.Content>
  </Modal.Root>
);
