import { Button, Group, NativeSelect, Textarea } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, useMemo, useState } from 'react';
import type { JsonSchema } from '../../api/json-schema.ts';
import { JsonInput } from '../../parts/JsonInput.tsx';
import { objectFault, readJson } from '../../parts/json-text.ts';
import classes from './Composer.module.css';
import { emptyDraft, fieldFault, fieldsOf, inputOf } from './schema-fields.ts';
import { SchemaForm } from './SchemaForm.tsx';
import { type MultitaskStrategy, type Playground, STRATEGIES } from './use-playground.ts';

const STRATEGY_LABELS: Record<MultitaskStrategy, string> = {
  enqueue: 'When busy: enqueue',
  interrupt: 'When busy: interrupt',
  rollback: 'When busy: roll back',
  reject: 'When busy: reject',
};

/** Input of a run: a message if the graph accepts messages, and fields for the rest of its schema. */
export function Composer({ playground, schema }: { playground: Playground; schema: JsonSchema | null }) {
  const { stream, isCancelling } = playground;
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const isChat = fields.some(({ name }) => name === 'messages');
  const others = useMemo(() => fields.filter(({ name }) => name !== 'messages'), [fields]);
  const [text, setText] = useState('');
  const [draft, setDraft] = useState(() => emptyDraft(others));
  const [raw, setRaw] = useState('{}');
  const [isChecked, setChecked] = useState(false);
  const [strategy, setStrategy] = useState<MultitaskStrategy>('enqueue');

  const hasFault =
    fields.length === 0
      ? objectFault(raw) !== undefined
      : others.some((field) => fieldFault(field, draft[field.name] ?? '') !== undefined);
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    setChecked(true);
    if (hasFault || (isChat && !text.trim())) return;
    const given = fields.length === 0 ? (readJson(raw) as object) : inputOf(others, draft);
    void playground.send(
      isChat ? { ...given, messages: [{ type: 'human', content: text }] } : { ...given },
      strategy,
    );
    setText('');
    setChecked(false);
  };
  const sendByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };

  return (
    <form className={classes.composer} onSubmit={submit}>
      {isChat && (
        <Textarea
          aria-label="Message"
          placeholder="Send a message"
          rows={2}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={sendByKey}
        />
      )}
      {fields.length === 0 && (
        <JsonInput label="Input" value={raw} onChange={setRaw} error={objectFault(raw)} />
      )}
      {others.length > 0 && (
        <details className={classes.more} open={!isChat}>
          <summary>{isChat ? 'More inputs' : 'Input'}</summary>
          <SchemaForm fields={others} draft={draft} onChange={setDraft} isChecked={isChecked} />
        </details>
      )}
      <Group gap="xs" justify="space-between">
        <NativeSelect
          size="xs"
          aria-label="If another run is active"
          value={strategy}
          onChange={(event) => setStrategy(event.currentTarget.value as MultitaskStrategy)}
          data={STRATEGIES.map((value) => ({ value, label: STRATEGY_LABELS[value] }))}
        />
        <Group gap="xs">
          <Button
            variant="default"
            disabled={!stream.isLoading}
            loading={isCancelling}
            onClick={() => void playground.cancel()}
          >
            Cancel run
          </Button>
          <Button type="submit">{isChat ? 'Send' : 'Run'}</Button>
        </Group>
      </Group>
    </form>
  );
}
