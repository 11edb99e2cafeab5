import { randomUUID } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import type { QueuedRun, WebhookActivities, WebhookAttempt } from '../../workflows/runs/contracts.ts';
import type { deliverWebhook } from '../../workflows/runs/deliver-webhook.ts';
import type { thread } from '../../workflows/runs/thread.ts';
import { until } from '../support/until.ts';
import { useTemporal } from '../support/use-temporal.ts';

const temporal = useTemporal();

/** Workers whose webhooks get `answers` in turn, the last one from then on. */
async function startWorkers(answers: WebhookAttempt[], runActivities: object = {}) {
  const left = [...answers];
  const postWebhook = jest.fn<WebhookActivities['postWebhook']>(
    async () => (left.length > 1 ? left.shift() : left[0])!,
  );
  const taskQueue = `test-${randomUUID()}`;
  await temporal.startWorker(runActivities, taskQueue);
  await temporal.startWorker({ postWebhook }, `${taskQueue}-webhooks`);
  return { taskQueue, postWebhook };
}

async function deliver(answers: WebhookAttempt[]) {
  const { taskQueue, postWebhook } = await startWorkers(answers);
  const handle = await temporal.client.workflow.start<typeof deliverWebhook>('deliverWebhook', {
    taskQueue,
    workflowId: `test/webhook/${randomUUID()}`,
    args: [{ run_id: 'r' }],
  });
  return { handle, postWebhook };
}

const delivered: WebhookAttempt = { state: 'delivered', attempt: 2, note: 'HTTP 200' };
const waiting = (retry_in_ms: number): WebhookAttempt => ({
  state: 'waiting',
  attempt: 1,
  note: 'HTTP 503',
  retry_in_ms,
});

test('attempts repeat with the requested delays until one succeeds', async () => {
  const { handle, postWebhook } = await deliver([waiting(100), waiting(100), delivered]);
  expect(await handle.result()).toEqual(delivered);
  expect(postWebhook.mock.calls).toEqual(Array.from({ length: 3 }, () => [{ run_id: 'r' }]));
});

test('an operator can send `retry` to skip the delay', async () => {
  const { handle, postWebhook } = await deliver([waiting(3_600_000), delivered]);
  await until('the first attempt is made', () => postWebhook.mock.calls.length > 0);
  await handle.signal('retry');
  expect(await handle.result()).toEqual(delivered);
});

test('a permanent failure fails with its reason', async () => {
  const { handle } = await deliver([{ state: 'given_up', attempt: 3, note: 'HTTP 410' }]);
  await expect(handle.result()).rejects.toMatchObject({
    cause: { type: 'WebhookGivenUp', message: 'Given up after 3 attempts: HTTP 410' },
  });
});

/** Runs a thread with these runs in its queue until it ends. */
async function runThread(runs: Partial<QueuedRun>[], cancel = false) {
  const stopped = () => new Promise<'settled'>((resolve) => setTimeout(resolve, 300, 'settled'));
  const { taskQueue, postWebhook } = await startWorkers([delivered], {
    executeRun: jest.fn(stopped),
    settleRun: async () => {},
  });
  const threadId = randomUUID();
  const handle = await temporal.client.workflow.start<typeof thread>('thread', {
    taskQueue,
    workflowId: `test/thread/${threadId}`,
    args: [
      {
        deployment: `test-${threadId}`,
        thread_id: threadId,
        linger_ms: 0,
        heartbeat_timeout_ms: 120_000,
        search_attributes: false,
        runs: runs.map((run) => ({
          run_id: randomUUID(),
          graph_id: 'g',
          assistant_id: 'a',
          multitask_strategy: 'enqueue',
          task_queue: taskQueue,
          timeout_ms: 60_000,
          ...run,
        })),
      },
    ],
  });
  if (cancel) await handle.cancel();
  await handle.result().catch(() => {});
  const { events } = await handle.fetchHistory();
  const started = events!.filter(({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child);
  return { postWebhook, threadId, children: started.length };
}

test('a thread starts a delivery only for runs with a webhook', async () => {
  const { threadId, children } = await runThread([{ run_id: 'one', webhook: true }, { run_id: 'two' }]);
  expect(children).toBe(1);
  const handle = temporal.client.workflow.getHandle(`test-${threadId}/webhook/one`);
  expect(await handle.result()).toEqual(delivered);
});

test('runs of a cancelled thread send their webhooks too', async () => {
  const { threadId, children } = await runThread(
    [
      { run_id: 'one', webhook: true },
      { run_id: 'two', webhook: true },
    ],
    true,
  );
  expect(children).toBe(2);
  for (const run of ['one', 'two']) {
    const handle = temporal.client.workflow.getHandle(`test-${threadId}/webhook/${run}`);
    expect(await handle.result()).toEqual(delivered);
  }
});
