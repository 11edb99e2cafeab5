import { Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type ItemRecord, putItem, removeItem } from '../../api/agent-store.ts';
import { EditorActions } from '../../parts/EditorActions.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonInput } from '../../parts/JsonInput.tsx';
import { jsonText, objectFault, readJson } from '../../parts/json-text.ts';

/** Creates or edits a store item. */
export default function ItemEditor({
  deploymentId,
  item,
  namespace,
  onDone,
}: {
  deploymentId: string;
  item: ItemRecord | undefined;
  /** Initial namespace of a new item. */
  namespace: string;
  onDone: () => void;
}) {
  const [place, setPlace] = useState(item?.namespace.join('.') ?? namespace);
  const [key, setKey] = useState(item?.key ?? '');
  const [text, setText] = useState(jsonText(item?.value ?? {}));
  const queries = useQueryClient();
  const done = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['agent', deploymentId, 'store'] });
    onDone();
  };
  const saving = useMutation({
    mutationFn: () =>
      putItem(deploymentId, {
        namespace: place.split('.'),
        key,
        value: readJson(text) as Record<string, unknown>,
      }),
    onSuccess: done,
  });
  const fault = text.trim() === '' ? 'Must be an object: {"name": "value"}' : objectFault(text);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!fault) saving.mutate();
  };
  const settled = item ? { readOnly: true, variant: 'filled' as const } : { required: true };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Namespace"
          description="Labels separated by dots: users.ada.notes"
          {...settled}
          value={place}
          onChange={(event) => setPlace(event.currentTarget.value)}
        />
        <TextInput
          label="Key"
          {...settled}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <JsonInput label="Value" data-autofocus rows={12} value={text} onChange={setText} error={fault} />
        <ErrorNotice error={saving.error} />
        <EditorActions
          removal={
            item && {
              label: 'Delete item',
              question: `This deletes “${item.key}” from ${item.namespace.join('.')} for all threads.`,
              onConfirm: async () => {
                await removeItem(deploymentId, item);
                await done();
              },
            }
          }
          isSaving={saving.isPending}
          onClose={onDone}
        />
      </Stack>
    </form>
  );
}
