import { Button, Group } from '@mantine/core';
import type { ComponentProps } from 'react';
import { ConfirmButton } from './ConfirmButton.tsx';

/** Buttons of an editor: delete (if `removal` is given), cancel and save. */
export const EditorActions = ({
  removal,
  isSaving,
  maySave = true,
  onClose,
}: {
  removal?: Pick<ComponentProps<typeof ConfirmButton>, 'label' | 'question' | 'onConfirm'> | undefined;
  isSaving: boolean;
  maySave?: boolean;
  onClose: () => void;
}) => (
  <Group justify="space-between">
    {removal ? <ConfirmButton {...removal} isDangerous /> : <span />}
    <Group gap="xs">
      <Button variant="default" onClick={onClose}>
        Close
      </Button>
      {maySave && (
        <Button type="submit" loading={isSaving}>
          Save
        </Button>
      )}
    </Group>
  </Group>
);
