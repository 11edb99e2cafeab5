import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { AuditEntry } from '../../api/workspace-records.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { JsonView } from '../../parts/JsonView.tsx';

/** Request details of an audit entry. Never contains secrets. */
export function AuditDetail({ entry: { number, action, actor, target, detail } }: { entry: AuditEntry }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={`Show details of ${action}, number ${number}`}
        onClick={dialog.open}
      >
        Show
      </Button>
      <Dialog isOpen={isOpen} onClose={dialog.close} title={action}>
        <JsonView value={{ actor, target, detail }} label="Detail" />
      </Dialog>
    </>
  );
}
