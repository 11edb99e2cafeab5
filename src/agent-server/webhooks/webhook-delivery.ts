import type { WebhookAttempt } from '../../../workflows/runs/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { WebhookRefused } from './webhook-addresses.ts';
import type { WebhookAnswer } from './webhook-client.ts';
import {
  beginAttempt,
  type EndedRun,
  finishDelivery,
  giveUpDelivery,
  postponeDelivery,
} from '../records/webhook-delivery-repository.ts';
import type { Webhooks } from './webhooks.ts';
import { retryDelay } from './webhook-retry.ts';

/** Sends a run's webhook once and records the result. Throws only if our own database fails. */
export async function attemptDelivery(
  { db, config, webhooks, metrics, log }: AgentDeps,
  runId: string,
): Promise<WebhookAttempt> {
  const begun = await beginAttempt(db, runId);
  if (!begun) return { state: 'gone', attempt: 0, note: 'nothing is to be sent' };
  const { payload, attempts: attempt } = begun;
  const keepSeconds = config.SLIPWAY_EVENT_RETENTION_SECONDS;
  const { fate, note, answer } = await send(webhooks, payload);
  metrics.webhookSent(fate);
  log.info({ run_id: runId, thread_id: payload.thread_id, attempt, note }, `webhook ${fate}`);
  if (fate === 'delivered') {
    await finishDelivery(db, runId, keepSeconds);
    return { state: 'delivered', attempt, note };
  }
  if (fate === 'refused' || attempt >= config.SLIPWAY_WEBHOOK_ATTEMPTS) {
    await giveUpDelivery(db, runId, note, keepSeconds);
    return { state: 'given_up', attempt, note };
  }
  const retry_in_ms = retryDelay(attempt, answer?.retry_after);
  await postponeDelivery(db, runId, note, retry_in_ms);
  return { state: 'waiting', attempt, note, retry_in_ms };
}

interface Sent {
  fate: 'delivered' | 'failed' | 'refused';
  /** For logs and operators; never contains an address, which may hold a secret. */
  note: string;
  answer?: WebhookAnswer;
}

async function send(webhooks: Webhooks, payload: EndedRun): Promise<Sent> {
  if (webhooks.disabled) return { fate: 'refused', note: 'webhooks are turned off' };
  try {
    const answer = await webhooks.send(payload);
    return { fate: fateOf(answer.status), note: `HTTP ${answer.status}`, answer };
  } catch (error) {
    if (error instanceof WebhookRefused) return { fate: 'refused', note: error.message };
    return { fate: 'failed', note: nameOf(error) };
  }
}

function nameOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (name === 'TimeoutError') return 'timeout';
  return [code, name].find((text) => typeof text === 'string') ?? 'error';
}

/** Don't retry when the receiver rejects the request itself: it would reject it again. */
function fateOf(status: number): Sent['fate'] {
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 500 || status === 429 || status === 408 ? 'failed' : 'refused';
}
