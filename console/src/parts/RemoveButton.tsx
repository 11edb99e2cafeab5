import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmButton } from './ConfirmButton.tsx';

/** In a row, takes away what the row is about once it was asked whether to; then the rows are read again. */
export function RemoveButton({
  label = 'Remove',
  of,
  question,
  rows,
  onRemove,
}: {
  label?: string;
  /** What the label alone does not say, to those who listen: `the session of Ada`. */
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
