import { Button } from '@mantine/core';
import classes from './Composer.module.css';
import { InterruptForm } from './InterruptForm.tsx';
import type { Playground } from './use-playground.ts';

/** What the graph waits for, each answered in its place. */
export function Interrupts({ playground }: { playground: Playground }) {
  const { stream } = playground;
  if (stream.isLoading) return null;
  const interrupts = stream.interrupts as { id?: string; value?: unknown; when?: string }[];
  if (interrupts[0]?.when === 'breakpoint')
    return (
      <section className={classes.interrupt} aria-label="Stopped">
        <span>
          The run stopped before <code>{playground.checkpoints[0]?.next.join(', ') || 'its end'}</code>.
        </span>
        <span>
          <Button onClick={() => void playground.resume({})}>Go on</Button>
        </span>
      </section>
    );
  return interrupts.map(({ id, value }, index) => (
    <InterruptForm
      key={id ?? index}
      value={value}
      onAnswer={(answer) =>
        void playground.resume({ resume: interrupts.length > 1 && id ? { [id]: answer } : answer })
      }
    />
  ));
}
