import { Anchor, Title } from '@mantine/core';
import { Link } from 'react-router';
import { Duration } from '../../parts/Duration.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import classes from './StepList.module.css';
import type { Playground } from './use-playground.ts';

/** Nodes of the run as they start and end, with their custom events. */
export function StepList({ playground: { steps, notes, runId } }: { playground: Playground }) {
  if (steps.length === 0)
    return <p className={classes.empty}>Steps of a run appear here with their duration.</p>;
  return (
    <>
      <ol className={classes.steps} aria-label="Steps">
        {steps.map(({ id, name, path, status, error, startedAt, endedAt }) => (
          <li key={id} className={classes.step} style={{ paddingInlineStart: 10 + path.length * 16 }}>
            <span className={classes.name}>{name}</span>
            <StatusBadge status={status} />
            <span className={classes.time}>
              <Duration ms={endedAt === null ? null : endedAt - startedAt} />
            </span>
            {error && <span className={classes.error}>{error}</span>}
          </li>
        ))}
      </ol>
      {runId && (
        <Anchor component={Link} to={`/traces/runs/${runId}`} size="sm">
          Trace of this run
        </Anchor>
      )}
      {notes.length > 0 && (
        <>
          <Title order={2} size="h3" className={classes.heading}>
            Custom events
          </Title>
          <JsonView value={notes.toReversed()} label="Custom events, newest first" />
        </>
      )}
    </>
  );
}
