import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { clientOf, readTrace, useCluster } from './cluster.ts';
import { useHolds } from '../support/holds.ts';
import { until } from '../support/until.ts';
import { expectWentOn, readCut, untilKept } from './went-on.ts';

const cluster = useCluster();
const holds = useHolds();

/** A process of one revision: in the same deployment as the others, with a separate queue for its runs. */
const revision = (queue: string, env: Record<string, string> = {}) =>
  cluster.start({ env: { SLIPWAY_TASK_QUEUE: `${cluster.deployment}-${queue}`, ...env } });

test('a run is executed by the revision that accepted it', async () => {
  const servers = [await revision('a'), await revision('b')];
  for (const server of servers) {
    const client = clientOf(server);
    for (let run = 0; run < 5; run++) {
      const file = join(cluster.folder, `pinned-${server.child.pid}-${run}`);
      await client.runs.wait(null, 'steps', { input: { steps: 1, file } });
      expect((await readTrace(file)).map(({ pid }) => pid)).toEqual([server.child.pid]);
    }
  }
  await Promise.all(servers.map((server) => server.end('SIGTERM')));
});

test('a leaving revision finishes its running work; the next executes pending runs', async () => {
  // It is slow, not gone.
  const old = await revision('old', { SLIPWAY_GRACE_SECONDS: '90', SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS: '60' });
  const next = await revision('next');
  const client = clientOf(old);
  const { thread_id } = await client.threads.create();
  const [first, second] = [join(cluster.folder, 'first'), join(cluster.folder, 'second')];
  const { hold, release } = holds(2);
  const begun = await client.runs.create(thread_id, 'steps', {
    input: { steps: 6, delay_ms: 400, file: first, hold },
  });
  const waiting = client.runs.wait(thread_id, 'steps', {
    input: { steps: 8, file: second },
    multitaskStrategy: 'enqueue',
  });
  await until('a step is done', async () => (await readTrace(first)).length >= 1);
  await until('both are accepted', async () => (await client.runs.list(thread_id)).length === 2);
  const ended = old.end('SIGTERM');
  const isListening = () =>
    fetch(`${old.url}/ok`).then(
      () => true,
      () => false,
    );
  await until('it takes no more', async () => !(await isListening()));
  release(2);
  expect(await ended).toBe(0);
  expect(((await waiting) as { done: number[] }).done).toHaveLength(8);
  expect(new Set((await readTrace(first)).map(({ pid }) => pid))).toEqual(new Set([old.child.pid]));
  expect(new Set((await readTrace(second)).map(({ pid }) => pid))).toEqual(new Set([next.child.pid]));
  expect((await clientOf(next).runs.get(thread_id, begun.run_id)).status).toBe('success');
  await next.end('SIGTERM');
});

test('a revision that hands back its work still answers for runs that continue in the next', async () => {
  const old = await revision('stuck', { SLIPWAY_GRACE_SECONDS: '1' });
  const next = await revision('free');
  const client = clientOf(old);
  const file = join(cluster.folder, 'stuck');
  await client.runs.create(null, 'stubborn', { input: { ms: 600_000, file } });
  const waiting = client.runs.wait(null, 'steps', { input: { steps: 45, delay_ms: 400, file } });
  const events = async () => (await readTrace(file)).map(({ what }) => what);
  await until('both have begun', async () => {
    const [all, started] = [await events(), ['started', 'step 1']];
    return started.every((what) => all.includes(what));
  });
  expect(await old.end('SIGTERM')).toBe(0);
  expect(((await waiting) as { done: number[] }).done).toHaveLength(45);
  const steps = (await readTrace(file)).filter(({ what }) => what.startsWith('step'));
  expect(steps.at(-1)!.pid).toBe(next.child.pid);
  await next.end('SIGKILL');
});

test('a run whose revision is killed for good continues in the next from its last step', async () => {
  const old = await revision('doomed');
  const next = await revision('heir');
  const { thread_id } = await clientOf(old).threads.create();
  const file = join(cluster.folder, 'doomed');
  const { hold, release } = holds(3);
  const run = await clientOf(old).runs.create(thread_id, 'steps', {
    input: { steps: 6, delay_ms: 400, file, hold },
  });
  await untilKept(clientOf(old), thread_id, 2);
  await old.end('SIGKILL');
  const client = clientOf(next);
  const cut = await readCut(client, thread_id, file);
  release(3);
  expect(((await client.runs.join(thread_id, run.run_id)) as { done: number[] }).done).toHaveLength(6);
  await expectWentOn(cut, 6);
  const pids = (await readTrace(file)).map(({ pid }) => pid);
  expect(pids).toEqual(pids.map((_, index) => (index < cut.ended.length ? old : next).child.pid));
});
