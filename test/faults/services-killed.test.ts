import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '@langchain/langgraph-sdk';
import { type AgentServer, startAgentServer } from '../support/agent-server.ts';
import { clientOf, readTrace } from './cluster.ts';
import { useHolds } from '../support/holds.ts';
import { ownPorts } from '../support/own-ports.ts';
import { until } from '../support/until.ts';
import { PROJECTS } from './projects.ts';

const holds = useHolds();

describe.each(PROJECTS)('a project in $language', ({ config, env }) => {
  let dataDir: string;
  let server: AgentServer;
  let client: Client;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-services-'));
    await ownPorts(dataDir);
    server = await startAgentServer({ config, env: { ...env, SLIPWAY_DATA_DIR: dataDir } });
    client = clientOf(server);
  });

  afterAll(async () => {
    await server.end();
    await rm(dataDir, { recursive: true, force: true });
  });

  const pidOf = async (service: 'postgres' | 'temporal'): Promise<number> =>
    (JSON.parse(await readFile(join(dataDir, 'run', `${service}.json`), 'utf8')) as { pid: number }).pid;

  test.each(['postgres', 'temporal'] as const)(
    'kill -9 of %s in the middle of runs loses none and repeats no finished step',
    async (service) => {
      const { hold, release } = holds(9);
      const runs = await Promise.all(
        [...Array(8).keys()].map(async (n) => {
          const { thread_id } = await client.threads.create();
          const file = join(dataDir, `${service}-${n}`);
          const { run_id } = await client.runs.create(thread_id, 'steps', {
            input: { steps: 10, delay_ms: 300, file, hold },
          });
          return { thread_id, run_id, file };
        }),
      );
      await until('the runs are under way', async () => (await readTrace(runs[0]!.file)).length >= 3);
      process.kill(await pidOf(service), 'SIGKILL');
      release(9);
      await until('every run has its outcome', async () => {
        const states = await Promise.all(
          // The API answers 500 or 503 while a service is down.
          runs.map(({ thread_id, run_id }) =>
            client.runs.get(thread_id, run_id).catch(() => ({ status: 'unknown' })),
          ),
        );
        return states.every(({ status }) => ['success', 'error', 'interrupted', 'timeout'].includes(status));
      });
      for (const { thread_id, run_id, file } of runs) {
        expect((await client.runs.get(thread_id, run_id)).status).toBe('success');
        const { values } = await client.threads.getState<{ done: number[] }>(thread_id);
        expect(values.done).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        const steps = (await readTrace(file)).map(({ what }) => what);
        // A step whose checkpoint could not be written runs once more.
        expect(steps.length).toBeLessThanOrEqual(service === 'postgres' ? 12 : 10);
      }
      // It also accepts new work.
      const { thread_id } = await client.threads.create();
      expect(await client.runs.wait(thread_id, 'echo', { input: { text: 'on' } })).toMatchObject({
        echo: 'on',
      });
    },
  );

  test('a reader of a resumable stream sees every event once across a restart of Postgres', async () => {
    const { thread_id } = await client.threads.create();
    const seen: number[] = [];
    let killed = false;
    const stream = client.runs.stream(thread_id, 'tokens', {
      input: { events: 150, delay_ms: 30 },
      streamMode: ['custom'],
      streamResumable: true,
    });
    for await (const { event, data } of stream) {
      if (event !== 'custom') continue;
      seen.push((data as { index: number }).index);
      if (seen.length === 40 && !killed) {
        killed = true;
        process.kill(await pidOf('postgres'), 'SIGKILL');
      }
    }
    // An attempt after the restart repeats its unfinished node: earlier output stays, and that of the last attempt is
    // complete.
    const starts = [...seen.keys()].filter((at) => seen[at] === 0);
    const attempts = starts.map((start, index) => seen.slice(start, starts[index + 1]));
    expect(attempts.flat()).toEqual(seen);
    for (const attempt of attempts) expect(attempt).toEqual([...attempt.keys()]);
    expect(attempts.at(-1)).toHaveLength(150);
  });
});
