import { randomUUID } from 'node:crypto';
import { bodyOf, type Json } from '../agent-api.ts';
import { timeEach } from '../pacing.ts';
import { expectEqual, type Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { echoOnce } from './latency.ts';

const RUNS = 200;
const WINDOW = 25;
const READS = 60;

interface State {
  values: Json;
  next: string[];
}

export const longThread: Scenario = {
  name: 'long-thread',
  goals: [
    {
      name: 'run-200-to-1',
      unit: 'times',
      target: { atMost: 1.2 },
      about: 'the 200th run of a thread relative to the first: medians of the last and the first 25',
    },
    {
      name: 'state-at-200',
      unit: 'ms',
      target: { atMost: 8 },
      about: 'GET state of the thread after its 200 runs',
    },
    {
      name: 'history-at-200',
      unit: 'ms',
      target: { atMost: 40 },
      about: 'its ten latest checkpoints',
    },
  ],
  async measure(api) {
    const threadId = randomUUID();
    // Excludes the extra cost of a new thread.
    await echoOnce(api, 'run 0', 1, threadId);
    const runs = await timeEach(RUNS, (run) => echoOnce(api, `run ${run + 1}`, run + 2, threadId));
    const ratio = median(runs.slice(-WINDOW)) / median(runs.slice(0, WINDOW));

    const state = await timeEach(READS, async () => {
      const { values, next } = bodyOf<State>(await api.client.send('GET', `/threads/${threadId}/state`));
      expectEqual(
        [values['turns'], values['reply'], next],
        [RUNS + 1, `echo run ${RUNS}`, []],
        'State of the thread',
      );
    });
    const history = await timeEach(READS, async () => {
      const states = bodyOf<State[]>(
        await api.client.send('POST', `/threads/${threadId}/history`, { limit: 10 }),
      );
      const turns = states.filter(({ next }) => next.length === 0).map(({ values }) => values['turns']);
      expectEqual([states.length, turns.slice(0, 2)], [10, [RUNS + 1, RUNS]], 'History of the thread');
    });
    return {
      figures: {
        'run-200-to-1': { value: ratio, samples: runs },
        'state-at-200': { value: median(state), samples: state },
        'history-at-200': { value: median(history), samples: history },
      },
      operations: RUNS,
    };
  },
};
