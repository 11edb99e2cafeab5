import { Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type ItemRecord, putItem, removeItem } from '../../api/agent-store.ts';
import { EditorActions } from '../../parts/EditorActions.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonInput } from '../../parts/JsonInput.tsx';
import { jsonText, objectFault, readJson } from '../../parts/json-text.ts';

/** An item of the store, to read and to write; without one, a new one. */
export default function ItemEditor({
  deploymentId,
  item,
  namespace,
  onDone,
}: {
  deploymentId: string;
  item: ItemRecord | undefined;
  /** Of a new item, as it is first. */
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
  const fault = text.trim() === '' ? 'It must be an object: {"name": "value"}' : objectFault(text);
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
          description="Labels with a dot between them: users.ada.notes"
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
              question: `“${item.key}” is gone from ${item.namespace.join('.')} for every thread.`,
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
