import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { attemptDelivery } from '../../src/agent-server/webhooks/webhook-delivery.ts';
import type { WebhookActivities } from '../../workflows/runs/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';

const HEARTBEAT_MS = 3_000;

export const createWebhookActivities = (deps: AgentDeps): WebhookActivities => ({
  postWebhook: ({ run_id }) => withHeartbeat(() => attemptDelivery(deps, run_id), HEARTBEAT_MS),
});
