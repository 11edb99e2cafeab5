import { Anchor, Skeleton, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import {
  createExample,
  deleteExample,
  exampleQuery,
  type ExampleFields,
  updateExample,
} from '../../api/tracing-datasets.ts';
import type { Example, JsonRecord } from '../../api/tracing-records.ts';
import { EditorActions } from '../../parts/EditorActions.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonInput } from '../../parts/JsonInput.tsx';
import { jsonText, objectFault, readJson } from '../../parts/json-text.ts';

interface EditorProps {
  datasetId: string;
  /** Undefined for a new example. */
  exampleId: string | undefined;
  /** Version to show read-only; empty means the current one. */
  version: string;
  onDone: () => void;
}

/** Shows or edits an example. */
export function ExampleEditor(props: EditorProps) {
  const { exampleId, version } = props;
  const { data, error } = useQuery({
    ...exampleQuery(exampleId ?? '', version),
    enabled: exampleId !== undefined,
    staleTime: Infinity,
  });
  if (error) return <ErrorNotice error={error} title="Could not load the example" />;
  if (exampleId && !data) return <Skeleton height={420} />;
  return <ExampleForm {...props} example={data} />;
}

function ExampleForm({
  datasetId,
  version,
  onDone,
  example,
}: EditorProps & { example: Example | undefined }) {
  const { dataset_split: splits = [], ...ownMetadata } = example?.metadata ?? {};
  const [inputs, setInputs] = useState(jsonText(example?.inputs ?? {}));
  const [outputs, setOutputs] = useState(example?.outputs ? jsonText(example.outputs) : '');
  const [metadata, setMetadata] = useState(jsonText(ownMetadata));
  const [split, setSplit] = useState(splits.join(', '));
  const queries = useQueryClient();
  const isRead = version !== '';
  const done = async (): Promise<void> => {
    // Closes first, so that a selection made meanwhile is kept.
    onDone();
    await Promise.all(
      ['examples', 'example', 'datasets', 'compared'].map((key) =>
        queries.invalidateQueries({ queryKey: [key] }),
      ),
    );
  };
  const saving = useMutation({
    mutationFn: () => {
      const named = split.split(',').flatMap((name) => name.trim() || []);
      const fields: ExampleFields = {
        inputs: (readJson(inputs) ?? {}) as JsonRecord,
        outputs: (readJson(outputs) ?? null) as JsonRecord | null,
        metadata: (readJson(metadata) ?? {}) as JsonRecord,
        ...(named.length > 0 && { split: named }),
      };
      return example ? updateExample(example.id, fields) : createExample(datasetId, fields);
    },
    onSuccess: done,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (![inputs, outputs, metadata].some(objectFault)) saving.mutate();
  };
  const parts = [
    { label: 'Inputs', value: inputs, set: setInputs, rows: 7 },
    { label: 'Reference outputs', value: outputs, set: setOutputs, rows: 7 },
    { label: 'Metadata', value: metadata, set: setMetadata, rows: 3 },
  ];
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {parts.map(({ label, value, set, rows }) => (
          <JsonInput
            key={label}
            label={label}
            rows={rows}
            readOnly={isRead}
            value={value}
            onChange={set}
            error={objectFault(value)}
            {...(label === 'Inputs' && { 'data-autofocus': true })}
          />
        ))}
        <TextInput
          label="Splits"
          description="Comma-separated; defaults to base"
          readOnly={isRead}
          value={split}
          onChange={(event) => setSplit(event.currentTarget.value)}
        />
        {example?.source_run_id && (
          <Anchor component={Link} to={`/traces/runs/${example.source_run_id}`} size="sm">
            Source run
          </Anchor>
        )}
        <ErrorNotice error={saving.error} title="Could not save the example" />
        <EditorActions
          removal={
            example && !isRead
              ? {
                  label: 'Delete example',
                  question: 'It is removed from the dataset. Older versions keep it.',
                  onConfirm: async () => {
                    await deleteExample(example.id);
                    await done();
                  },
                }
              : undefined
          }
          isSaving={saving.isPending}
          maySave={!isRead}
          onClose={onDone}
        />
      </Stack>
    </form>
  );
}
