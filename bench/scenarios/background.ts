import { randomUUID } from 'node:crypto';
import { pause, rounds, timeTogether, until } from '../pacing.ts';
import { expectEqual, type Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const BACKGROUND = 300;
const ENQUEUED = 50;
const SLEEPERS = 200;
const SLEEP_MS = 2_000;

export const backgroundRuns: Scenario = {
  name: 'background',
  goals: [
    {
      name: 'background',
      unit: 'runs/s',
      target: { atLeast: 50 },
      floor: 'runs_per_s_16_postgres',
      about: '300 background runs on 300 threads, from the first request to the last result',
    },
  ],
  async measure(api) {
    const batch = { batch: randomUUID() };
    const threads: string[] = [];
    await timeTogether(16, BACKGROUND, async () => void threads.push(await api.createThread(batch)));
    const start = performance.now();
    await timeTogether(16, BACKGROUND, (run) => api.start('echo', { text: `run ${run}` }, threads[run]!));
    await until('Background runs end', 60_000, async () => (await api.countThreads(batch, 'busy')) === 0);
    const rate = BACKGROUND / ((performance.now() - start) / 1000);
    const found = await api.searchThreads(batch, 1_000);
    const replies = new Map(
      found.map(({ thread_id, values }) => [thread_id, [values?.['reply'], values?.['turns']]]),
    );
    threads.forEach((id, run) => expectEqual(replies.get(id), [`echo run ${run}`, 1], 'Values of a thread'));
    return { figures: { background: { value: rate } }, operations: BACKGROUND };
  },
};

export const enqueuedRuns: Scenario = {
  name: 'enqueued',
  goals: [
    {
      name: 'enqueued',
      unit: 'runs/s',
      target: { atLeast: 70 },
      about: '50 runs sent sequentially to one thread, from the first request to the last result',
    },
  ],
  async measure(api) {
    const rates = await rounds(3, async () => {
      const threadId = await api.createThread();
      const start = performance.now();
      const last = await rounds(ENQUEUED, (run) => api.start('echo', { text: `run ${run}` }, threadId));
      const ended = async () => (await api.getRun(threadId, last.at(-1)!.run_id)).status === 'success';
      await until('The last enqueued run ends', 30_000, ended, 5);
      const took = (performance.now() - start) / 1000;
      const { said } = await api.wait('echo', { text: 'end' }, threadId);
      const expected = [...Array.from({ length: ENQUEUED }, (_, run) => `run ${run}`), 'end'];
      expectEqual(said, expected, 'Order of the runs of a thread');
      return ENQUEUED / took;
    });
    return { figures: { enqueued: { value: median(rates) } }, operations: 3 * ENQUEUED };
  },
};

export const sleepers: Scenario = {
  name: 'sleepers',
  goals: [
    {
      name: 'sleepers',
      unit: 's',
      target: { atMost: 6 },
      about: '200 concurrent runs that wait two seconds each, as for a model',
    },
  ],
  async measure(api) {
    const took = await timeTogether(SLEEPERS, SLEEPERS, async () => {
      const { slept } = await api.wait('sleep', { ms: SLEEP_MS });
      expectEqual(slept, SLEEP_MS, 'Sleep of a run');
    });
    await pause(0);
    return { figures: { sleepers: { value: took } }, operations: SLEEPERS };
  },
};
