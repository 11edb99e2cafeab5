import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { clientOf, readTrace, useCluster } from './cluster.ts';
import type { AgentServerOptions } from '../support/agent-server.ts';
import { useHolds } from '../support/holds.ts';
import { until } from '../support/until.ts';
import { startPace } from './pace.ts';
import { PROJECTS } from './projects.ts';
import { expectWentOn, readCut, untilKept } from './went-on.ts';

const holds = useHolds();
const STEPS = [...Array(10).keys()].map((n) => `step ${n + 1}`);

describe.each(PROJECTS)('a project in $language', ({ language, config, env }) => {
  const cluster = useCluster();
  const start = (options: Partial<AgentServerOptions>) =>
    cluster.start({ config, ...options, env: { ...env, ...options.env } });
  // Two languages take twice the time.
  const threadCount = language === 'JavaScript' || process.env['SLIPWAY_TEST_ALL'] ? 40 : 12;

  test('when a worker is killed during a turn of several runs, only the executing run restarts', async () => {
    const client = clientOf(await start({ role: 'api' }));
    const { thread_id } = await client.threads.create();
    const file = join(cluster.folder, 'turn');
    const { hold, release } = holds(5);
    // No worker runs yet, so they queue up as one turn.
    for (const [steps, delay_ms] of [
      [1, 0],
      [2, 0],
      [8, 200],
      [10, 0],
    ] as const)
      await client.runs.create(thread_id, 'steps', { input: { steps, delay_ms, file, hold } });
    const worker = await start({ role: 'worker' });
    // The third has done two of its steps.
    await untilKept(client, thread_id, 4);
    await worker.end('SIGKILL');
    const cut = await readCut(client, thread_id, file);
    release(5);

    const other = await start({ role: 'worker' });
    const attempts = async () => {
      const { rows } = await cluster.db.query<{ status: string; attempt: number }>(
        'select status, attempt from run where thread_id = $1 order by created_at',
        [thread_id],
      );
      return rows.map(({ status, attempt }) => `${status} ${attempt}`);
    };
    await until('the last has its outcome', async () => (await attempts()).at(-1) === 'success 1');
    expect(await attempts()).toEqual(['success 1', 'success 1', 'success 2', 'success 1']);
    await expectWentOn(cut, 10);
    await other.end('SIGKILL');
  });

  test('a run whose worker is killed continues elsewhere within 6 s, without repeating stored steps', async () => {
    const api = await start({ role: 'api' });
    const workers = [await start({ role: 'worker' }), await start({ role: 'worker' })];
    const client = clientOf(api);
    const { thread_id } = await client.threads.create();
    const file = join(cluster.folder, 'ten-steps');
    const { hold, release } = holds(5);
    const input = { steps: 10, delay_ms: 300, file, hold };
    const run = await client.runs.create(thread_id, 'steps', { input });
    await untilKept(client, thread_id, 4);

    const pace = await startPace(cluster.db);
    const before = await readTrace(file);
    const victim = workers.find(({ child }) => child.pid === before.at(-1)!.pid)!;
    const killedAt = Date.now();
    await victim.end('SIGKILL');
    const cut = await readCut(client, thread_id, file);
    release(5);

    const values = (await client.runs.join(thread_id, run.run_id)) as { done: number[] };
    const trace = await readTrace(file);
    const afterwards = trace.slice(cut.ended.length);
    await pace.stop();
    await expectWentOn(cut, 10);
    expect(values.done).toEqual(STEPS.map((_, index) => index + 1));
    // The first step elsewhere ends 300 ms after it began.
    expect(pace.between(killedAt, afterwards[0]!.at - 300)).toBeLessThan(6_000);
    expect(afterwards.map(({ pid }) => pid)).not.toContain(victim.child.pid);
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe('success');
  });

  test(`${threadCount * 5} runs in flight survive random kills: none lost, in order, one at a time per thread`, async () => {
    const api = await start({ role: 'api' });
    // Every kill may hit the same run, and on a slow machine a worker may only seem dead.
    const worker = { role: 'worker', env: { SLIPWAY_RUN_ATTEMPTS: '20' } } as const;
    const workers = [await start(worker), await start(worker)];
    const client = clientOf(api);
    const threads = await Promise.all([...Array(threadCount).keys()].map(() => client.threads.create()));
    const runs: { thread_id: string; run_id: string; file: string }[] = [];
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        threads.map(async ({ thread_id }) => {
          const file = join(cluster.folder, thread_id);
          const input = { steps: (round + 1) * 2, delay_ms: 100, file };
          const { run_id } = await client.runs.create(thread_id, 'steps', { input });
          runs.push({ thread_id, run_id, file });
        }),
      );
    }
    expect(runs).toHaveLength(threadCount * 5);
    for (let kill = 0; kill < 3; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 1_500 + Math.random() * 1_500));
      await workers.shift()!.end('SIGKILL');
      workers.push(await start(worker));
    }
    await until(
      'every run has its outcome',
      async () => {
        const { rows } = await cluster.db.query(`select from run where status in ('pending', 'running')`);
        return rows.length === 0;
      },
      180_000,
    );

    const { rows } = await cluster.db.query<{ thread_id: string; statuses: string[]; ordered: boolean }>(
      `select thread_id, array_agg(status order by created_at) as statuses,
       array_agg(run_id order by created_at) = array_agg(run_id order by ended_at) as ordered
     from run where thread_id = any($1) group by thread_id`,
      [threads.map(({ thread_id }) => thread_id)],
    );
    expect(rows).toHaveLength(threads.length);
    for (const { statuses, ordered } of rows) {
      expect(statuses).toEqual(Array(5).fill('success'));
      expect(ordered).toBe(true);
    }
    for (const { thread_id } of threads) {
      const { values } = await client.threads.getState<{ done: number[] }>(thread_id);
      // Ten steps in total: each run continues where the previous one stopped.
      expect(values.done).toEqual(STEPS.map((_, index) => index + 1));
      const trace = await readTrace(join(cluster.folder, thread_id));
      // A step cut off by a kill has not ended; a step whose end was written is never done again, unless the kill
      // fell between its end and its checkpoint.
      const times = trace.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(new Set(trace.map(({ what }) => what))).toEqual(new Set(STEPS));
    }
  });
});
