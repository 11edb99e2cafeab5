import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { clientOf, useCluster } from './cluster.ts';
import { until } from '../support/until.ts';

const cluster = useCluster();

const rssOf = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

test('1,000 clients that disconnect during a stream leave nothing behind', async () => {
  const server = await cluster.start({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '1' } });
  const client = clientOf(server);
  const { thread_id } = await client.threads.create();
  const run = await client.runs.create(thread_id, 'tokens', {
    // Few enough to keep replays small, whatever their duration.
    input: { events: 100_000, delay_ms: 50 },
    streamMode: ['custom'],
    streamResumable: true,
  });
  const leaveAtOnce = async () => {
    const controller = new AbortController();
    const response = await fetch(`${server.url}/threads/${thread_id}/runs/${run.run_id}/stream`, {
      headers: { 'last-event-id': '-1' },
      signal: controller.signal,
    });
    await response.body!.getReader().read();
    controller.abort();
  };
  const wave = async (clients: number) => {
    for (let left = clients; left > 0; left -= 50) {
      await Promise.all([...Array(Math.min(50, left)).keys()].map(leaveAtOnce));
    }
  };
  await wave(200);
  const before = await rssOf(server.child.pid!);
  await wave(800);
  await client.runs.cancel(thread_id, run.run_id, true);

  const metric = async (name: string) => {
    const text = await fetch(`${server.url}/metrics`).then((answer) => answer.text());
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
  };
  await until('no reader is left', async () => (await metric('slipway_event_readers')) === 0);
  // The process always listens to one channel, for run control.
  await until('one channel is left', async () => (await metric('slipway_listened_channels')) === 1);
  expect((await rssOf(server.child.pid!)) - before).toBeLessThan(80);
  const { rows } = await cluster.db.query<{ connections: number }>(
    `select count(*) as connections from pg_stat_activity where datname = current_database()`,
  );
  expect(rows[0]!.connections).toBeLessThan(30);
  expect(await client.runs.wait(thread_id, 'echo', { input: { text: 'fine' } })).toMatchObject({
    echo: 'fine',
  });
});

test('with on_disconnect: cancel, a run ends when its reader disconnects', async () => {
  const server = await cluster.start();
  const client = clientOf(server);
  const { thread_id } = await client.threads.create();
  const controller = new AbortController();
  const response = await fetch(`${server.url}/threads/${thread_id}/runs/stream`, {
    method: 'POST',
    body: JSON.stringify({ assistant_id: 'sleepy', input: { ms: 600_000 }, on_disconnect: 'cancel' }),
    signal: controller.signal,
  });
  await response.body!.getReader().read();
  controller.abort();
  const [run] = await client.runs.list(thread_id);
  await until('the run is interrupted', async () => {
    return (await client.runs.get(thread_id, run!.run_id)).status === 'interrupted';
  });
});
