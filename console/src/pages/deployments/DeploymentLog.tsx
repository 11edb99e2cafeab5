import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { Deployment } from '../../api/control-plane-records.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { RevisionLog } from './RevisionLog.tsx';

/** Log of the serving revision. */
export function DeploymentLog({ deployment }: { deployment: Deployment }) {
  const { id, active_revision_id: active, latest_revision_id: latest } = deployment;
  const linkTo = (revision: string, label: string) => (
    <Anchor component={Link} to={`/deployments/${id}/revisions/${revision}`} underline="always">
      {label}
    </Anchor>
  );
  if (!active)
    return (
      <EmptyState
        title="Not running yet"
        {...(latest && { action: linkTo(latest, 'Show the build log of the latest revision') })}
      >
        The agent’s log appears here once a revision is running.
      </EmptyState>
    );
  return (
    <>
      <p style={{ marginTop: 0 }}>Log of {linkTo(active, 'the active revision')}.</p>
      <RevisionLog deploymentId={id} revisionId={active} phase="deploy" />
    </>
  );
}
