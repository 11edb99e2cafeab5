import { heartbeat } from '@temporalio/activity';
import type { AgentDeps } from '../src/agent-server/agent-deps.ts';
import { attemptDelivery } from '../src/agent-server/webhooks/webhook-delivery.ts';
import type { DeliverWebhookInput, WebhookAttempt } from '../workflows/contracts.ts';

const BEAT_MS = 3_000;

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

export const createWebhookActivities = (deps: AgentDeps) => ({
  /** One attempt at a webhook; what the receiver answers is its result, never its failure. */
  async postWebhook({ run_id }: DeliverWebhookInput): Promise<WebhookAttempt> {
    const beat = setInterval(heartbeat, BEAT_MS);
    try {
      return await attemptDelivery(deps, run_id);
    } finally {
      clearInterval(beat);
    }
  },
});
