import { timeEach } from '../pacing.ts';
import { expectEqual, type Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const STEPS = 21;

export const supersteps: Scenario = {
  name: 'superstep',
  goals: [
    {
      name: 'superstep',
      unit: 'ms',
      floor: 'superstep_ms_postgres',
      about: 'cost of one more superstep: execution, events, checkpoint',
    },
  ],
  async measure(api) {
    const timed = (count: number) =>
      timeEach(20, async () =>
        expectEqual((await api.wait('steps', { steps: count }))['done'], count, 'Steps of a run'),
      );
    await timed(1);
    const [short, long] = [await timed(1), await timed(STEPS)];
    const value = (median(long) - median(short)) / (STEPS - 1);
    return { figures: { superstep: { value } }, operations: 40 };
  },
};
