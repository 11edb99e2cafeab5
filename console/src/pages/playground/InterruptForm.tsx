import { Button, Group, SegmentedControl, Textarea } from '@mantine/core';
import { useState } from 'react';
import { JsonInput } from '../../parts/JsonInput.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { jsonFault, readJson } from '../../parts/json-text.ts';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import classes from './Composer.module.css';
import { answerOf } from './interrupt-answers.ts';

/** An interrupt and a form to answer it: approve, reject, text or JSON. */
export function InterruptForm({
  name = 'Question from the graph',
  label = 'Answer and resume',
  value,
  onAnswer,
}: {
  name?: string;
  label?: string;
  value: unknown;
  onAnswer: (answer: unknown) => void;
}) {
  const [kind, setKind] = useState('Text');
  const [text, setText] = useState('');
  const isEmpty = text.trim() === '';
  const isReady = !isEmpty && (kind === 'Text' || jsonFault(text) === undefined);
  return (
    <section className={classes.interrupt} aria-label={name}>
      <StatusBadge status="interrupted" label="Waiting for your input" />
      {typeof value === 'string' ? <span>{value}</span> : <JsonView value={value} label="Question" />}
      <Group gap="xs">
        <Button onClick={() => onAnswer(answerOf(value, true))}>Approve</Button>
        <Button variant="default" onClick={() => onAnswer(answerOf(value, false))}>
          Reject
        </Button>
      </Group>
      <SegmentedControl
        size="xs"
        aria-label="Kind of answer"
        data={['Text', 'JSON']}
        value={kind}
        onChange={setKind}
        style={{ alignSelf: 'flex-start' }}
      />
      {kind === 'Text' ? (
        <Textarea
          aria-label="Answer"
          placeholder="Or type an answer"
          rows={2}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : (
        <JsonInput
          aria-label="Answer"
          placeholder='{"approved": true}'
          rows={4}
          value={text}
          onChange={setText}
        />
      )}
      <span>
        <Button
          variant="light"
          disabled={!isReady}
          onClick={() => onAnswer(kind === 'Text' ? text : readJson(text))}
        >
          {label}
        </Button>
      </span>
    </section>
  );
}
