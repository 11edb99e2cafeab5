import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { RunRecord } from '../../api/agent-threads.ts';
import { deliveriesQuery, retryDelivery, type WebhookDelivery } from '../../api/agent-webhooks.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { StatusBadge, type Tone } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';

const TONES: Record<WebhookDelivery['state'], Tone> = { waiting: 'busy', delivered: 'ok', given_up: 'bad' };

const COLUMNS: Column<NonNullable<WebhookDelivery['latest']>[number]>[] = [
  { id: 'attempt', header: 'Attempt', cell: ({ attempt }) => attempt, width: '90px' },
  { id: 'answer', header: 'Answer', cell: ({ answer }) => <code>{answer}</code> },
  { id: 'at', header: 'When', cell: ({ at }) => <TimeText at={at} /> },
];

/** Status of a webhook delivery, with a retry button. */
export function DeliveryView({
  deploymentId,
  run: { thread_id, run_id },
  delivery: { delivery_id, state, attempts, last_error, next_attempt_at, latest },
}: {
  deploymentId: string;
  run: RunRecord;
  delivery: WebhookDelivery;
}) {
  const queries = useQueryClient();
  const retrying = useMutation({
    mutationFn: () => retryDelivery(deploymentId, thread_id, run_id, delivery_id),
    onSettled: () => queries.invalidateQueries(deliveriesQuery(deploymentId, thread_id, run_id)),
  });
  const facts: [string, ReactNode][] = [
    ['Delivery', <StatusBadge key="state" status={state} tone={TONES[state]} />],
    ['Attempts', attempts],
  ];
  if (last_error) facts.push(['Last response', <code key="error">{last_error}</code>]);
  if (next_attempt_at) facts.push(['Next attempt', <TimeText key="next" at={next_attempt_at} />]);
  return (
    <>
      <Facts facts={facts} />
      {state !== 'delivered' && (
        <Button variant="default" mb="sm" loading={retrying.isPending} onClick={() => retrying.mutate()}>
          {state === 'waiting' ? 'Send now' : 'Send again'}
        </Button>
      )}
      <ErrorNotice error={retrying.error} title="Could not send" />
      {latest && latest.length > 0 && (
        <DataTable label="Attempts" columns={COLUMNS} rows={latest.toReversed()} rowId={({ at }) => at} />
      )}
    </>
  );
}
