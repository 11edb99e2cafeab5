import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { clientOf, useCluster } from './cluster.ts';
import { useHolds } from '../support/holds.ts';
import { expectWentOn, readCut, untilKept } from './went-on.ts';

const cluster = useCluster();
const holds = useHolds();

test('runs wait while all workers are gone for 60 s, then continue', async () => {
  const api = await cluster.start({ role: 'api' });
  const workers = [await cluster.start({ role: 'worker' }), await cluster.start({ role: 'worker' })];
  const client = clientOf(api);
  const { thread_id } = await client.threads.create();
  const file = join(cluster.folder, 'gone');
  const { hold, release } = holds(3);
  const input = { steps: 6, delay_ms: 300, file, hold };
  const first = await client.runs.create(thread_id, 'steps', { input });
  await untilKept(client, thread_id, 2);
  await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
  const cut = await readCut(client, thread_id, file);
  expect(cut.kept).toBe(2);
  release(3);
  const second = await client.runs.create(thread_id, 'echo', { input: { text: 'patient' } });
  const waiting = client.runs.join(thread_id, second.run_id);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  expect((await client.runs.get(thread_id, second.run_id)).status).toBe('pending');

  await cluster.start({ role: 'worker' });
  expect(await waiting).toMatchObject({ echo: 'patient' });
  expect((await client.runs.get(thread_id, first.run_id)).status).toBe('success');
  await expectWentOn(cut, 6);
});
