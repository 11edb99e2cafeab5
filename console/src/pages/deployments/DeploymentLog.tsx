import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { Deployment } from '../../api/control-plane-records.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { RevisionLog } from './RevisionLog.tsx';

/** What the revision that serves says. */
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
        title="Nothing serves yet"
        {...(latest && { action: linkTo(latest, 'What was said while the latest one was built') })}
      >
        Here is what the agent says, once a revision serves.
      </EmptyState>
    );
  return (
    <>
      <p style={{ marginTop: 0 }}>What {linkTo(active, 'the revision that serves')} says.</p>
      <RevisionLog deploymentId={id} revisionId={active} phase="deploy" />
    </>
  );
}
