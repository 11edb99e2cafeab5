import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { DeploymentHealth, Revision } from '../../api/control-plane-records.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { Section } from '../../parts/Section.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import classes from './Steps.module.css';

const IN_PROGRESS = 'AWAITING_DELETE';
const BEING_REMOVED = 'AWAITING_FINAL_DELETE';

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Progress of a deletion and what it removes. */
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
    ['Interrupt the revision in progress', status === IN_PROGRESS],
    [
      `Stop replicas and their runs${running > 0 ? `: ${running} still running` : ''}`,
      status === BEING_REMOVED && running > 0,
    ],
    [
      'Drop the database: assistants, threads, runs, crons and the store',
      status === BEING_REMOVED && running === 0,
    ],
    [
      `Delete ${revisions ? counted(revisions.length, 'revision') : 'revisions'} with logs, secrets and metrics`,
      false,
    ],
  ] as const;
  const current = steps.findIndex(([, isCurrent]) => isCurrent);
  return (
    <Section title="Deletion progress">
      <ol className={classes.steps} aria-label="Steps of the deletion">
        {steps.map(([text], index) => (
          <li key={index} className={classes.step}>
            {index < current ? (
              <StatusBadge status="done" tone="ok" />
            ) : index === current ? (
              <StatusBadge status="in progress" tone="busy" />
            ) : (
              <StatusBadge status="pending" tone="idle" />
            )}
            <span className={classes.message}>{text}</span>
          </li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        Traces are kept for their project’s retention, and the audit log records who deleted the deployment.
        Its name can be reused once the deletion is complete.
      </Text>
    </Section>
  );
}

/** Shown instead of a deployment that was deleted while being viewed. */
export const Deleted = ({ name }: { name: string }) => (
  <EmptyState
    title={`${name} was deleted`}
    action={
      <Button component={Link} to="/deployments">
        Show deployments
      </Button>
    }
  >
    The deployment and its data have been removed.
  </EmptyState>
);
