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
import type { WebhookActivities } from '../activities/webhook-activities.ts';
import type { AttemptMade, DeliverWebhookInput, WebhookAttempt } from './contracts.ts';

const retry = defineSignal<[]>('retry');
const attemptsQuery = defineQuery<AttemptMade[]>('attempts');

/**
 * Sends the webhook of a run that has ended, until it is out or given up; then it fails, for an operator to see.
 * `retry` tries again at once; `attempts` tells the latest.
 */
export async function deliverWebhook({ run_id }: DeliverWebhookInput): Promise<WebhookAttempt> {
  const { postWebhook } = proxyActivities<WebhookActivities>({
    // Receivers that hang hold these workers, and no run.
    taskQueue: `${workflowInfo().taskQueue}-webhooks`,
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '10 seconds',
    // What the receiver does is no failure of the activity; this is for our own database.
    retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
    summary: `webhook of run ${run_id}`,
  });
  const attempts: AttemptMade[] = [];
  let asked = false;
  setHandler(retry, () => void (asked = true));
  setHandler(attemptsQuery, () => attempts.slice(-MOST_SHOWN));
  for (;;) {
    asked = false;
    const attempt = await postWebhook({ run_id });
    attempts.push({ ...attempt, at: new Date().toISOString() });
    setCurrentDetails(describeAttempts(attempts, Date.now()));
    if (attempt.state === 'given_up')
      throw ApplicationFailure.nonRetryable(
        `Given up after ${attempt.attempt} attempts: ${attempt.note}`,
        'WebhookGivenUp',
      );
    if (attempt.retry_in_ms === undefined) return attempt;
    await condition(() => asked, attempt.retry_in_ms);
  }
}

const MOST_SHOWN = 20;

/** Markdown for the Temporal UI. */
function describeAttempts(attempts: readonly WebhookAttempt[], now: number): string {
  const { state, retry_in_ms } = attempts.at(-1)!;
  const next =
    retry_in_ms === undefined ? '' : `, next attempt not before ${new Date(now + retry_in_ms).toISOString()}`;
  const rows = attempts.slice(-MOST_SHOWN).map(({ attempt, note }) => `| ${attempt} | ${note} |`);
  return [`${state}${next}`, '', '| attempt | answer |', '|---|---|', ...rows].join('\n');
}
