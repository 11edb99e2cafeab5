import { Button, TextInput } from '@mantine/core';
import { createPrice, pricesQuery } from '../../api/workspace.ts';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { useFormDialog } from '../../parts/use-form-dialog.ts';
import { perToken } from './per-token.ts';

const FIRST = { name: '', match_pattern: '', prompt_cost: '', completion_cost: '' };

const FIELDS: { name: keyof typeof FIRST; label: string; description?: string }[] = [
  { name: 'name', label: 'Name', description: 'Display name' },
  {
    name: 'match_pattern',
    label: 'Models',
    description: 'Regular expression for model names, such as ^our-model',
  },
  { name: 'prompt_cost', label: 'Dollars per million input tokens' },
  { name: 'completion_cost', label: 'Dollars per million output tokens' },
];

/** Creates a custom price. */
export function NewPriceButton() {
  const { open, state, field } = useFormDialog({
    first: FIRST,
    rows: pricesQuery.queryKey,
    send: ({ name, match_pattern, prompt_cost, completion_cost }) =>
      createPrice({
        name: name.trim(),
        match_pattern: match_pattern.trim(),
        prompt_cost: perToken(prompt_cost),
        completion_cost: perToken(completion_cost),
      }),
  });
  return (
    <>
      <Button leftSection={<Icon name="plus" size={14} />} onClick={open}>
        Add price
      </Button>
      <FormDialog form={state} title="Add price" action="Add" refusal="Could not add the price">
        {FIELDS.map(({ name, ...texts }, index) => (
          <TextInput
            key={name}
            {...texts}
            {...(index === 0 && { 'data-autofocus': true })}
            {...field(name)}
          />
        ))}
      </FormDialog>
    </>
  );
}
