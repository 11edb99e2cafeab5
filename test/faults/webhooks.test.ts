import { afterEach, expect, test } from '@jest/globals';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import pg from 'pg';
import { threadChannel } from '../../src/agent-server/events/event-frame.ts';
import type { AgentServer } from '../support/agent-server.ts';
import { answerOk, useReceiver } from '../support/webhook-receiver.ts';
import { clientOf, useCluster } from './cluster.ts';
import { until } from '../support/until.ts';
import { isWhole } from '../support/whole.ts';

const cluster = useCluster();
const receiver = useReceiver();
const env = { SLIPWAY_SWEEP_SECONDS: '2', SLIPWAY_WEBHOOK_TIMEOUT_SECONDS: '1' };
afterEach(() => void (receiver.answer = answerOk));

interface Started {
  run_id: string;
  thread_id: string;
}

/** Starts runs that end one after another, each with a webhook; kills the worker the moment the first outcome is in Postgres. */
async function killAtFirstEnd(
  count: number,
  api: AgentServer,
  worker: AgentServer,
  path: string,
): Promise<Started[]> {
  const listener = new pg.Client({ connectionString: cluster.databaseUrl });
  await listener.connect();
  let ended = false;
  listener.on('notification', ({ payload }) => {
    ended ||= payload?.startsWith('d') ?? false;
    if (ended) worker.child.kill('SIGKILL');
  });
  const client = clientOf(api);
  const threads = await Promise.all(Array.from({ length: count }, () => client.threads.create()));
  for (const { thread_id } of threads) await listener.query(`listen "${threadChannel(thread_id)}"`);
  const starting = threads.map(({ thread_id }, index) => {
    const input = { ms: 1_000 + index * 20 };
    return client.runs.create(thread_id, 'sleepy', { input, webhook: receiver.url + path });
  });
  const runs = await Promise.all(starting);
  await until('a run ends', async () => ended);
  await worker.end('SIGKILL');
  await listener.end();
  return runs;
}

const arrived = (path: string) =>
  new Set(receiver.received.filter((one) => one.path === path).map(({ headers }) => headers['webhook-id']));

const waitingRows = async () =>
  (await cluster.db.query(`select run_id from webhook_delivery where status = 'waiting'`)).rows.length;

test("every webhook is sent if workers are killed between a run's end and its webhook", async () => {
  const api = await cluster.start({ role: 'api', env });
  const worker = await cluster.start({ role: 'worker', env });
  receiver.answer = () => {};
  const runs = await killAtFirstEnd(20, api, worker, '/killed');
  expect(await waitingRows()).toBeGreaterThan(0);
  receiver.received.length = 0;
  receiver.answer = answerOk;
  const next = await cluster.start({ role: 'worker', env });
  await until('all have arrived', async () => arrived('/killed').size === runs.length);
  expect(arrived('/killed')).toEqual(new Set(runs.map(({ run_id }) => run_id)));
  await until('nothing is left to be sent', async () => (await waitingRows()) === 0);
  await Promise.all([next.end('SIGKILL'), api.end('SIGKILL')]);
});

test('the sweep sends a webhook whose workflow was lost', async () => {
  const api = await cluster.start({ role: 'api', env });
  const worker = await cluster.start({ role: 'worker', env });
  const runs = await killAtFirstEnd(5, api, worker, '/lost');
  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const temporal = new TemporalClient({ connection });
  for (const { thread_id } of runs) {
    const handle = temporal.workflow.getHandle(`${cluster.deployment}/thread/${thread_id}`);
    await handle.terminate('as if it had never been').catch(() => {});
  }
  await connection.close();
  const next = await cluster.start({ role: 'worker', env });
  // A sweep that died with its worker is missed after a minute.
  await until('all have arrived', () => arrived('/lost').size === runs.length, 180_000);
  await Promise.all([next.end('SIGKILL'), api.end('SIGKILL')]);
});

const WEBHOOKS = isWhole ? 500 : 150;

test(`${WEBHOOKS} webhooks to a receiver that randomly fails half of them all arrive, each with one id`, async () => {
  const server = await cluster.start({ env });
  const taken = new Map<string, string>();
  const tries = new Map<string, number>();
  let failed = 0;
  receiver.answer = (one, response) => {
    // Webhooks lost in an earlier test may arrive again; at least once is enough.
    if (!one.path.startsWith('/half/')) return void response.end();
    const nth = (tries.get(one.path) ?? 0) + 1;
    tries.set(one.path, nth);
    // The longest streaks are shortened so that the test ends in time.
    const kind = nth > 8 ? 3 : Math.floor(Math.random() * 6);
    if (kind < 3) failed++;
    if (kind === 0) response.writeHead(500).end();
    else if (kind === 1) response.destroy();
    else if (kind >= 3) {
      taken.set(one.path, String(one.headers['webhook-id']));
      response.end();
    }
    // Otherwise it never responds.
  };
  const paths = Array.from({ length: WEBHOOKS }, (_, index) => `/half/${index}`);
  const ids = new Map<string, string>();
  for (let start = 0; start < WEBHOOKS; start += 50) {
    const batch = paths.slice(start, start + 50);
    const answer = await fetch(`${server.url}/runs/batch`, {
      method: 'POST',
      body: JSON.stringify(
        batch.map((path) => ({ assistant_id: 'echo', input: {}, webhook: receiver.url + path })),
      ),
    });
    const runs = (await answer.json()) as Started[];
    for (const [index, { run_id }] of runs.entries()) ids.set(batch[index]!, run_id);
  }
  await until('all have arrived', () => taken.size === WEBHOOKS, 240_000);
  expect(taken).toEqual(ids);
  // About as many as there are webhooks, allowing for chance.
  expect(failed).toBeGreaterThan(0.4 * WEBHOOKS);
  for (const { path, headers } of receiver.received.filter((one) => one.path.startsWith('/half/')))
    expect(headers['webhook-id']).toBe(ids.get(path));
  await until('nothing is left to be sent', async () => (await waitingRows()) === 0);
  await server.end('SIGKILL');
}, 300_000);
