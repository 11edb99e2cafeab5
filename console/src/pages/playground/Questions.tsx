import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { JsonView } from '../../parts/JsonView.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import classes from './Composer.module.css';
import { InterruptForm } from './InterruptForm.tsx';

type Answers = Record<string, unknown>;

/** Several interrupts at once. The graph resumes after the last answer, or earlier on request. */
export function Questions({
  questions,
  onAnswer,
}: {
  questions: { id: string; value: unknown }[];
  /** By interrupt id. */
  onAnswer: (answers: Answers) => void;
}) {
  const [answers, setAnswers] = useState<Answers>({});
  const given = Object.keys(answers).length;
  const answer = (id: string, value: unknown): void => {
    const all = { ...answers, [id]: value };
    setAnswers(all);
    if (Object.keys(all).length === questions.length) onAnswer(all);
  };
  const withdraw = (id: string): void => {
    const { [id]: _, ...rest } = answers;
    setAnswers(rest);
  };
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status">
          {given} of {questions.length} questions answered. The graph resumes after the last answer.
        </Text>
        {given > 0 && (
          <Button variant="default" size="xs" onClick={() => onAnswer(answers)}>
            Resume with these answers
          </Button>
        )}
      </Group>
      {questions.map(({ id, value }, index) => {
        const name = `Question ${index + 1} of ${questions.length}`;
        return id in answers ? (
          <section key={id} className={classes.answered} aria-label={name}>
            <Group justify="space-between" gap="xs">
              <StatusBadge status="answered" tone="ok" />
              <Button variant="subtle" color="gray" size="compact-xs" onClick={() => withdraw(id)}>
                Change
              </Button>
            </Group>
            <JsonView value={answers[id]} label={`Answer to question ${index + 1}`} />
          </section>
        ) : (
          <InterruptForm
            key={id}
            name={name}
            label="Answer"
            value={value}
            onAnswer={(given) => answer(id, given)}
          />
        );
      })}
    </>
  );
}
