import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { hostsOf } from '../support/host-processes.ts';
import { useHolds } from '../support/holds.ts';
import { until } from '../support/until.ts';
import { clientOf, readTrace, useCluster } from './cluster.ts';
import { PROJECTS } from './projects.ts';
import { expectWentOn, readCut, untilKept } from './went-on.ts';

const holds = useHolds();
const ENDS_WITHIN_MS = 10_000;
const GIVEN_UP_WITHIN_MS = 4_000;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Milliseconds until the work is done. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const untilBlocked = (file: string): Promise<void> =>
  until('the host blocks', async () => (await readTrace(file)).some(({ what }) => what === 'blocking'));

describe.each(PROJECTS)('graph hosts in $language', ({ language, config, env }) => {
  // Python takes longer to start, and does not respond while it imports the engine.
  const blockedSeconds = language === 'Python' ? '10' : '2';
  const cluster = useCluster();
  const start = (settings: Record<string, string> = {}) =>
    cluster.start({ config, env: { ...env, ...settings } });

  test('a killed host loses no run, and the API answers throughout', async () => {
    const server = await start({ SLIPWAY_HOSTS: '1' });
    const client = clientOf(server);
    const { thread_id } = await client.threads.create();
    const file = join(cluster.folder, 'killed');
    const { hold, release } = holds(5);
    const run = await client.runs.create(thread_id, 'steps', { input: { steps: 8, file, hold } });
    await untilKept(client, thread_id, 4);

    const [victim] = hostsOf(server);
    process.kill(victim!, 'SIGKILL');
    expect((await client.threads.get(thread_id)).status).toBe('busy');
    const cut = await readCut(client, thread_id, file);
    release(5);
    await client.runs.join(thread_id, run.run_id);
    await expectWentOn(cut, 8);
    expect(hostsOf(server)).not.toContain(victim);
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe('success');
    await server.end();
  });

  test('a blocked host is replaced, and its other runs continue', async () => {
    const server = await start({
      SLIPWAY_HOSTS: '1',
      SLIPWAY_HOST_BLOCKED_SECONDS: blockedSeconds,
      SLIPWAY_RUN_ATTEMPTS: '2',
    });
    const client = clientOf(server);
    const [one, other] = [await client.threads.create(), await client.threads.create()];
    const file = join(cluster.folder, 'blocked');
    const { hold, release } = holds(2);
    const steps = await client.runs.create(other.thread_id, 'steps', { input: { steps: 3, file, hold } });
    await untilKept(client, other.thread_id, 1);
    const blocker = await client.runs.create(one.thread_id, 'blocker', { input: { ms: 600_000, file } });
    await untilBlocked(file);

    const began = performance.now();
    expect((await client.threads.get(one.thread_id)).status).toBe('busy');
    expect(performance.now() - began).toBeLessThan(1_000);
    release(2);
    await client.runs.join(other.thread_id, steps.run_id);
    expect((await client.runs.get(other.thread_id, steps.run_id)).status).toBe('success');
    await client.runs.join(one.thread_id, blocker.run_id);
    expect(await client.runs.get(one.thread_id, blocker.run_id)).toMatchObject({ status: 'error' });
    await server.end();
  });

  test('hosts end with their server, however it ends', async () => {
    const server = await start({ SLIPWAY_HOSTS: '2' });
    await until('both hosts run', async () => hostsOf(server).length === 2);
    const hosts = hostsOf(server);
    await server.end('SIGKILL');
    await until('no host is left', async () => !hosts.some(isAlive));
  });

  test('a cancelled run ends although its node goes on, and nothing of that is kept', async () => {
    const server = await start({ SLIPWAY_LEAVE_SECONDS: '1' });
    const client = clientOf(server);
    for (const swallows of [false, true]) {
      const [file, free] = [`stubborn-${swallows}`, `free-${swallows}`].map((name) =>
        join(cluster.folder, name),
      ) as [string, string];
      const input = { ms: 1, until: free, file, swallows };
      const happened = (what: string) =>
        until(what, async () => (await readTrace(file)).some((line) => line.what === what));
      const { thread_id } = await client.threads.create();
      const run = await client.runs.create(thread_id, 'stubborn', { input });
      await happened('started');
      const began = performance.now();
      await client.runs.cancel(thread_id, run.run_id, true);
      expect(performance.now() - began).toBeLessThan(GIVEN_UP_WITHIN_MS);
      expect((await client.runs.get(thread_id, run.run_id)).status).toBe('interrupted');
      await writeFile(free, '');
      await happened('finished');
      expect((await client.threads.getState(thread_id)).values).not.toHaveProperty('slept');
      expect(await client.runs.wait(thread_id, 'stubborn', { input })).toMatchObject({ slept: 1 });
    }
    await server.end();
  });

  test('a run stops within 200 ms of its cancellation', async () => {
    const server = await start();
    const client = clientOf(server);
    const { thread_id } = await client.threads.create();
    const cancels: number[] = [];
    const runs: number[] = [];
    for (let round = 0; round < 5; round++) {
      const run = await client.runs.create(thread_id, 'steps', { input: { steps: 2, delay_ms: 60_000 } });
      await until('it runs', async () => (await client.runs.get(thread_id, run.run_id)).status === 'running');
      cancels.push(await timed(() => client.runs.cancel(thread_id, run.run_id, true)));
      runs.push(await timed(() => client.runs.wait(null, 'steps', { input: { steps: 1, delay_ms: 0 } })));
    }
    // On a busy machine, as many times as long as a whole run takes there.
    expect(Math.min(...cancels)).toBeLessThan(Math.max(200, 3 * Math.min(...runs)));
    await server.end();
  });

  // The last one, because the next server would continue its run.
  test('a blocked host ends with its server', async () => {
    const server = await start({ SLIPWAY_HOSTS: '1' });
    const file = join(cluster.folder, 'orphaned');
    await clientOf(server).runs.create(null, 'blocker', { input: { ms: 600_000, file } });
    await untilBlocked(file);
    const [host] = hostsOf(server);
    await server.end('SIGKILL');
    expect(isAlive(host!)).toBe(true);
    await until('its host is gone', async () => !isAlive(host!), ENDS_WITHIN_MS);
  });
});
