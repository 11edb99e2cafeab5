import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AttemptMade, DeliverWebhookInput, WebhookActivities, WebhookAttempt } from './contracts.ts';

const retry = defineSignal<[]>('retry');
const attemptsQuery = defineQuery<AttemptMade[]>('attempts');

/**
 * Delivers the webhook of an ended run. Fails when it gives up, so that an operator sees it. The signal `retry` makes
 * the next attempt at once; the query `attempts` lists the latest.
 */
export async function deliverWebhook({ run_id }: DeliverWebhookInput): Promise<WebhookAttempt> {
  const { postWebhook } = proxyActivities<WebhookActivities>({
    // A separate queue, so that hanging receivers never hold up runs.
    taskQueue: `${workflowInfo().taskQueue}-webhooks`,
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '10 seconds',
    // Retries cover our own database; a receiver's failure is a result.
    retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
    summary: `webhook of run ${run_id}`,
  });
  const attempts: AttemptMade[] = [];
  let isRetryRequested = false;
  setHandler(retry, () => void (isRetryRequested = true));
  setHandler(attemptsQuery, () => attempts.slice(-MAX_SHOWN));
  for (;;) {
    isRetryRequested = false;
    const attempt = await postWebhook({ run_id });
    attempts.push({ ...attempt, at: new Date().toISOString() });
    setCurrentDetails(describeAttempts(attempts, Date.now()));
    if (attempt.state === 'given_up')
      throw ApplicationFailure.nonRetryable(
        `Given up after ${attempt.attempt} attempts: ${attempt.note}`,
        'WebhookGivenUp',
      );
    if (attempt.retry_in_ms === undefined) return attempt;
    await condition(() => isRetryRequested, attempt.retry_in_ms);
  }
}

const MAX_SHOWN = 20;

/** Markdown for the Temporal UI. */
function describeAttempts(attempts: readonly WebhookAttempt[], now: number): string {
  const { state, retry_in_ms } = attempts.at(-1)!;
  const next =
    retry_in_ms === undefined ? '' : `, next attempt not before ${new Date(now + retry_in_ms).toISOString()}`;
  const rows = attempts.slice(-MAX_SHOWN).map(({ attempt, note }) => `| ${attempt} | ${note} |`);
  return [`${state}${next}`, '', '| attempt | answer |', '|---|---|', ...rows].join('\n');
}
