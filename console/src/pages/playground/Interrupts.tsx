import { Button } from '@mantine/core';
import classes from './Composer.module.css';
import { InterruptForm } from './InterruptForm.tsx';
import { Questions } from './Questions.tsx';
import type { Playground } from './use-playground.ts';

/** Interrupts of the thread, each with a form. */
export function Interrupts({ playground }: { playground: Playground }) {
  const { stream, resume } = playground;
  if (stream.isLoading) return null;
  const interrupts = stream.interrupts as { id?: string; value?: unknown; when?: string }[];
  const [first] = interrupts;
  if (!first) return null;
  const next = playground.checkpoints[0]?.next.join(', ');
  if (first.when === 'breakpoint')
    return (
      <section className={classes.interrupt} aria-label="Stopped">
        <span>
          The last run stopped before{' '}
          {next === '__start__' ? 'its first node' : <code>{next || 'its end'}</code>}.
        </span>
        <span>
          <Button onClick={() => void resume({})}>Resume</Button>
        </span>
      </section>
    );
  const answerable = interrupts.flatMap(({ id, value }) => (id === undefined ? [] : [{ id, value }]));
  if (interrupts.length === 1 || answerable.length < interrupts.length)
    return (
      <InterruptForm
        key={first.id}
        value={first.value}
        onAnswer={(answer) => void resume({ resume: answer })}
      />
    );
  return (
    <Questions
      key={answerable.map(({ id }) => id).join()}
      questions={answerable}
      onAnswer={(answers) => void resume({ resume: answers })}
    />
  );
}
