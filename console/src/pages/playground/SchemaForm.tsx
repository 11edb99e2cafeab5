import { NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { JsonInput } from '../../parts/JsonInput.tsx';
import { type Draft, type Field, fieldFault } from './schema-fields.ts';

export interface SchemaFormProps {
  fields: Field[];
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** Whether to show missing required fields. */
  isChecked: boolean;
}

/** Form for a schema. Arrays and objects are entered as JSON. */
export const SchemaForm = ({ fields, draft, onChange, isChecked }: SchemaFormProps) => (
  <Stack gap="sm">
    {fields.map((field) => {
      const value = draft[field.name] ?? '';
      return (
        <SchemaField
          key={field.name}
          field={field}
          value={value}
          onChange={(text) => onChange({ ...draft, [field.name]: text })}
          error={isChecked || value ? fieldFault(field, value) : undefined}
        />
      );
    })}
  </Stack>
);

function SchemaField({
  field: { kind, choices, ...field },
  value,
  onChange,
  error,
}: {
  field: Field;
  value: string;
  onChange: (text: string) => void;
  error: string | undefined;
}) {
  const common = {
    label: field.label,
    description: field.description,
    withAsterisk: field.isRequired,
    error,
  };
  const read = (event: { currentTarget: { value: string } }): void => onChange(event.currentTarget.value);
  if (kind === 'json') return <JsonInput {...common} rows={3} value={value} onChange={onChange} />;
  if (kind === 'text')
    return <Textarea {...common} autosize={false} rows={1} value={value} onChange={read} />;
  if (kind === 'number') return <TextInput {...common} inputMode="decimal" value={value} onChange={read} />;
  const options = kind === 'boolean' ? ['true', 'false'] : choices;
  return (
    <NativeSelect
      {...common}
      value={value}
      onChange={read}
      data={[{ value: '', label: 'Not given' }, ...options]}
    />
  );
}
