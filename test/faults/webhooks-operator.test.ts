import { afterEach, expect, test } from '@jest/globals';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { answerOk, useReceiver } from '../support/webhook-receiver.ts';
import { useCluster } from './cluster.ts';
import { until } from '../support/until.ts';

const cluster = useCluster();
const receiver = useReceiver();
const env = { SLIPWAY_SWEEP_SECONDS: '2', SLIPWAY_WEBHOOK_ATTEMPTS: '2' };
afterEach(() => void (receiver.answer = answerOk));

const refuse = (headers: Record<string, string> = {}) => {
  receiver.answer = (_one, response) => void response.writeHead(503, headers).end();
};

/** A finished run with a webhook to `path`, and its delivery as an operator sees it. */
async function finishedRun(apiUrl: string, path: string, more: object = {}) {
  const answer = await fetch(`${apiUrl}/runs`, {
    method: 'POST',
    body: JSON.stringify({ assistant_id: 'echo', input: {}, webhook: receiver.url + path, ...more }),
  });
  const { run_id, thread_id } = (await answer.json()) as { run_id: string; thread_id: string };
  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const temporal = new TemporalClient({ connection });
  const workflowId = `${cluster.deployment}/webhook/${run_id}`;
  const handle = temporal.workflow.getHandle(workflowId);
  const status = async () => (await handle.describe().catch(() => undefined))?.status.name;
  return { run_id, thread_id, temporal, handle, status, workflowId, close: () => connection.close() };
}

const rowOf = async (runId: string) =>
  (
    await cluster.db.query<{ status: string; failure: string }>(
      'select status, failure from webhook_delivery where run_id = $1',
      [runId],
    )
  ).rows[0];

const threadStatus = async (apiUrl: string, threadId: string) =>
  (await fetch(`${apiUrl}/threads/${threadId}`)).status;

test('a failed delivery is visible, releases its thread, and is sent again by a reset or a new start', async () => {
  const { url, end } = await cluster.start({ env });
  for (const [path, again] of [
    ['/reset', 'reset'],
    ['/start', 'start'],
  ] as const) {
    refuse();
    const run = await finishedRun(url, path);
    await until('it fails', async () => (await run.status()) === 'FAILED');
    expect(await rowOf(run.run_id)).toEqual({ status: 'given_up', failure: 'HTTP 503' });
    expect(await threadStatus(url, run.thread_id)).toBe(404);
    const tries = receiver.received.filter((one) => one.path === path).length;
    expect(tries).toBe(2);
    receiver.answer = answerOk;
    if (again === 'reset') {
      await run.temporal.workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: run.workflowId },
        reason: 'the receiver is back',
        requestId: run.run_id,
        // A number works as well as a Long.
        workflowTaskFinishEventId: 4 as never,
      });
    } else {
      await run.temporal.workflow.start('deliverWebhook', {
        workflowId: run.workflowId,
        taskQueue: `slipway-${cluster.deployment}`,
        args: [{ run_id: run.run_id }],
      });
    }
    await until('it is out', async () => (await rowOf(run.run_id)) === undefined);
    expect(receiver.received.filter((one) => one.path === path)).toHaveLength(tries + 1);
    await run.close();
  }
  await end('SIGKILL');
});

test('a waiting delivery is attempted immediately on `retry`', async () => {
  const { url, end } = await cluster.start({ env });
  refuse({ 'retry-after': '3600' });
  const run = await finishedRun(url, '/retry');
  await until('it waits', async () => (await rowOf(run.run_id))?.failure === 'HTTP 503');
  receiver.answer = answerOk;
  await run.handle.signal('retry');
  await until('it is out', async () => (await rowOf(run.run_id)) === undefined);
  await until('its workflow has ended', async () => (await run.status()) === 'COMPLETED');
  await run.close();
  await end('SIGKILL');
});

test('the sweep marks a delivery terminated by an operator as failed', async () => {
  // It is given up only once it is terminated.
  const { url, end } = await cluster.start({ env: { ...env, SLIPWAY_WEBHOOK_ATTEMPTS: '1000' } });
  refuse({ 'retry-after': '1' });
  const run = await finishedRun(url, '/stopped');
  await until('it waits', async () => (await rowOf(run.run_id))?.failure === 'HTTP 503');
  const tries = () => receiver.received.filter((one) => one.path === '/stopped').length;
  await run.handle.terminate('the receiver is gone');
  const before = tries();
  await until('it is given up', async () => (await rowOf(run.run_id))?.status === 'given_up');
  expect((await rowOf(run.run_id))?.failure).toBe('stopped by an operator');
  // One may have been in progress.
  expect(tries()).toBeLessThanOrEqual(before + 1);
  await run.close();
  await end('SIGKILL');
});
