import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmButton } from './ConfirmButton.tsx';

/** Deletes a table row's object after confirmation and refreshes the rows. */
export function RemoveButton({
  label = 'Remove',
  of,
  question,
  rows,
  onRemove,
}: {
  label?: string;
  /** Object name for the accessible label: `the session of Ada`. */
  of: string;
  question: ReactNode;
  rows: QueryKey;
  onRemove: () => Promise<unknown>;
}) {
  const queries = useQueryClient();
  return (
    <ConfirmButton
      size="compact-xs"
      variant="subtle"
      color="red"
      label={label}
      aria-label={`${label} ${of}`}
      isDangerous
      question={question}
      onConfirm={async () => {
        await onRemove();
        await queries.invalidateQueries({ queryKey: rows });
      }}
    />
  );
}
