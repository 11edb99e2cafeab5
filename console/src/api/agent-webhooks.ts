import { queryOptions } from '@tanstack/react-query';
import { agentPath } from './agent-assistants.ts';
import { get, post } from './http.ts';

export interface WebhookDelivery {
  delivery_id: string;
  state: 'waiting' | 'delivered' | 'given_up';
  attempts: number;
  last_error: string | null;
  next_attempt_at: string | null;
  /** Oldest first; null if no longer stored. */
  latest: { attempt: number; at: string; answer: string }[] | null;
}

const LIVE_MS = 2_000;

const path = (deploymentId: string, threadId: string, runId: string): string =>
  `${agentPath(deploymentId)}/threads/${threadId}/runs/${runId}/webhook-deliveries`;

/** Polls until the delivery is settled. */
export const deliveriesQuery = (deploymentId: string, threadId: string, runId: string) =>
  queryOptions({
    queryKey: ['agent', deploymentId, 'thread', threadId, 'runs', runId, 'webhook-deliveries'],
    queryFn: ({ signal }) => get<WebhookDelivery[]>(path(deploymentId, threadId, runId), { signal }),
    refetchInterval: ({ state }) =>
      state.data?.some((delivery) => delivery.state !== 'waiting') ? false : LIVE_MS,
  });

export const retryDelivery = (
  deploymentId: string,
  threadId: string,
  runId: string,
  deliveryId: string,
): Promise<WebhookDelivery> => post(`${path(deploymentId, threadId, runId)}/${deliveryId}/retry`, undefined);
