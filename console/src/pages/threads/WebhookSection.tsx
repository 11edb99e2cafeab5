import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isLive, type RunRecord } from '../../api/agent-threads.ts';
import { deliveriesQuery } from '../../api/agent-webhooks.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Section } from '../../parts/Section.tsx';
import { WorkflowLink } from '../../parts/WorkflowLink.tsx';
import { DeliveryView } from './DeliveryView.tsx';

/** Where the end of the run is told, and how that goes. */
export function WebhookSection({ deploymentId, run }: { deploymentId: string; run: RunRecord }) {
  const address = run.kwargs['webhook'];
  const { run_id, thread_id } = run;
  const { data, error, refetch } = useQuery({
    ...deliveriesQuery(deploymentId, thread_id, run_id),
    enabled: typeof address === 'string' && !isLive(run.status),
  });
  if (typeof address !== 'string') return null;
  return (
    <Section title="Webhook">
      <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
        {isLive(run.status) ? 'When the run ends, that is told to ' : 'The end of the run is told to '}
        <code>{address}</code>.{' '}
        {data && data.length > 0 && (
          <WorkflowLink id={`${deploymentId}/webhook/${run_id}`} label="Its workflow" />
        )}
      </Text>
      <ErrorNotice error={error} title="Its deliveries could not be read" onRetry={() => void refetch()} />
      {data?.map((delivery) => (
        <DeliveryView key={delivery.delivery_id} deploymentId={deploymentId} run={run} delivery={delivery} />
      ))}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing is known of it: it is about to be sent, or it was sent so long ago that nobody remembers.
        </Text>
      )}
    </Section>
  );
}
