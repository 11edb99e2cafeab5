import { Text } from '@mantine/core';
import type { RunRecord } from '../../api/agent-threads.ts';
import { Section } from '../../parts/Section.tsx';
import { WorkflowLink } from '../../parts/WorkflowLink.tsx';

/** Where the end of the run is told; its attempts are those of a workflow of its own. */
export function WebhookSection({ deploymentId, run }: { deploymentId: string; run: RunRecord }) {
  const address = run.kwargs['webhook'];
  if (typeof address !== 'string') return null;
  return (
    <Section title="Webhook">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        When the run ends it is sent to <code>{address}</code>, again and again until it is taken.{' '}
        <WorkflowLink id={`${deploymentId}/webhook/${run.run_id}`} label="Its deliveries" />
      </Text>
    </Section>
  );
}
