import { useDisclosure } from '@mantine/hooks';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { faultAt } from './field-faults.ts';

export interface FormDialogState {
  isOpen: boolean;
  close: () => void;
  send: () => void;
  isSending: boolean;
  error: unknown;
  /** Fields that show their own errors. */
  names: string[];
}

/** A form in a dialog. It starts with `first` and closes once the server accepts it. */
export function useFormDialog<Values extends object, Sent>({
  first,
  send,
  rows,
  onSent,
}: {
  first: Values;
  send: (values: Values) => Promise<Sent>;
  /** Query to invalidate afterwards. */
  rows: QueryKey;
  /** Called instead of closing the dialog. */
  onSent?: (sent: Sent) => unknown;
}) {
  const [isOpen, dialog] = useDisclosure(false);
  const [values, setValues] = useState(first);
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: () => send(values),
    onSuccess: async (sent) => {
      await queries.invalidateQueries({ queryKey: rows });
      if (onSent) await onSent(sent);
      else dialog.close();
    },
  });
  const set = (changes: Partial<Values>): void => setValues((before) => ({ ...before, ...changes }));
  const state: FormDialogState = {
    isOpen,
    close: dialog.close,
    send: () => sending.mutate(),
    isSending: sending.isPending,
    error: sending.error,
    names: Object.keys(first),
  };
  return {
    state,
    values,
    set,
    /** The server's response. */
    sent: sending.data,
    open: (): void => {
      sending.reset();
      setValues(first);
      dialog.open();
    },
    /** Input props by the server's field name, so that its errors appear there. */
    field: <Name extends keyof Values & string>(name: Name) => ({
      value: values[name],
      error: faultAt(sending.error, name),
      onChange: (event: { currentTarget: { value: string } }) =>
        set({ [name]: event.currentTarget.value } as unknown as Partial<Values>),
    }),
  };
}
