import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isLive, type RunRecord } from '../../api/agent-threads.ts';
import { deliveriesQuery } from '../../api/agent-webhooks.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Section } from '../../parts/Section.tsx';
import { WorkflowLink } from '../../parts/WorkflowLink.tsx';
import { DeliveryView } from './DeliveryView.tsx';

/** Webhook of a run and its deliveries. */
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
        {isLive(run.status) ? 'When the run ends, a webhook is sent to ' : 'A webhook is sent to '}
        <code>{address}</code>.{' '}
        {data && data.length > 0 && (
          <WorkflowLink id={`${deploymentId}/webhook/${run_id}`} label="Workflow" />
        )}
      </Text>
      <ErrorNotice error={error} title="Could not load deliveries" onRetry={() => void refetch()} />
      {data?.map((delivery) => (
        <DeliveryView key={delivery.delivery_id} deploymentId={deploymentId} run={run} delivery={delivery} />
      ))}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No deliveries recorded. Either none has been sent yet, or their records have expired.
        </Text>
      )}
    </Section>
  );
}
