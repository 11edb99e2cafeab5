import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { DeploymentHealth, Revision } from '../../api/control-plane-records.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { Section } from '../../parts/Section.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import classes from './Steps.module.css';

const ON_ITS_WAY = 'AWAITING_DELETE';
const BEING_REMOVED = 'AWAITING_FINAL_DELETE';

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** How far the removal of a deployment is, and what goes with it. */
export function DeletionPanel({
  status,
  health,
  revisions,
}: {
  status: string;
  health: DeploymentHealth | null | undefined;
  revisions: Revision[] | undefined;
}) {
  const running = health?.replicas.running ?? 0;
  const steps = [
    ['A revision that is on its way is interrupted', status === ON_ITS_WAY],
    [
      `Its replicas end, and what they run${running > 0 ? `: ${running} still there` : ''}`,
      status === BEING_REMOVED && running > 0,
    ],
    [
      'Its database is dropped: assistants, threads, runs, crons and the store',
      status === BEING_REMOVED && running === 0,
    ],
    [
      `${revisions ? counted(revisions.length, 'revision') : 'Its revisions'}, with their logs, secrets and figures`,
      false,
    ],
  ] as const;
  const current = steps.findIndex(([, isCurrent]) => isCurrent);
  return (
    <Section title="What goes">
      <ol className={classes.steps} aria-label="Steps of the deletion">
        {steps.map(([text], index) => (
          <li key={index} className={classes.step}>
            {index < current ? (
              <StatusBadge status="done" tone="ok" />
            ) : index === current ? (
              <StatusBadge status="under way" tone="busy" />
            ) : (
              <StatusBadge status="to come" tone="idle" />
            )}
            <span className={classes.message}>{text}</span>
          </li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        Its traces stay in their project as long as the project keeps them, and the audit log says who deleted
        it. The name is free again when all of this is done.
      </Text>
    </Section>
  );
}

/** In place of a deployment that was looked at while it went. */
export const Deleted = ({ name }: { name: string }) => (
  <EmptyState
    title={`${name} is deleted`}
    action={
      <Button component={Link} to="/deployments">
        To the deployments
      </Button>
    }
  >
    Nothing of it runs any more, and what it kept is gone.
  </EmptyState>
);
