import { Textarea, type TextareaProps } from '@mantine/core';
import { jsonFault } from './json-text.ts';

export interface JsonInputProps extends Omit<TextareaProps, 'onChange' | 'value'> {
  value: string;
  onChange: (text: string) => void;
}

/** Text area for JSON that shows syntax errors. */
export const JsonInput = ({ value, onChange, error, ...rest }: JsonInputProps) => (
  <Textarea
    rows={6}
    spellCheck={false}
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', resize: 'vertical' } }}
    {...rest}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error ?? jsonFault(value)}
  />
);
