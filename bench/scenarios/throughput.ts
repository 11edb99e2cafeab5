import { randomUUID } from 'node:crypto';
import type { AgentApi } from '../agent-api.ts';
import { rounds, timeTogether } from '../pacing.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { echoOnce } from './latency.ts';

const RUNS = 160;
const ROUNDS = 3;

const freshRate = async (api: AgentApi, atOnce: number): Promise<number> =>
  RUNS / (await timeTogether(atOnce, RUNS, (run) => echoOnce(api, `run ${run}`, 1)));

export const freshThreadsTogether: Scenario = {
  name: 'fresh-together',
  goals: [
    {
      name: 'fresh-16',
      unit: 'runs/s',
      target: { atLeast: 48 },
      floor: 'runs_per_s_16_postgres',
      about: '16 concurrent callers, each run on a new thread',
    },
    {
      name: 'fresh-64',
      unit: 'runs/s',
      floor: 'runs_per_s_16_postgres',
      about: '64 concurrent callers, each run on a new thread',
    },
    {
      name: 'fresh-64-to-16',
      unit: 'times',
      // Allows for the variance between two measurements.
      target: { atLeast: 0.95 },
      about: 'rate with 64 callers divided by rate with 16: more callers must not slow it down',
    },
  ],
  async measure(api) {
    await freshRate(api, 16);
    // Alternating, so that both see the same load on the machine.
    const rates = await rounds(ROUNDS, async () => ({
      few: await freshRate(api, 16),
      many: await freshRate(api, 64),
    }));
    const [few, many] = [median(rates.map((rate) => rate.few)), median(rates.map((rate) => rate.many))];
    return {
      figures: {
        'fresh-16': { value: few },
        'fresh-64': { value: many },
        'fresh-64-to-16': { value: many / few },
      },
      operations: RUNS * (2 * ROUNDS + 1),
    };
  },
};

export const warmThreadsTogether: Scenario = {
  name: 'warm-together',
  goals: [
    {
      name: 'warm-16',
      unit: 'runs/s',
      target: { atLeast: 70 },
      floor: 'runs_per_s_16_postgres',
      about: '16 concurrent callers, each on its own thread that has run before',
    },
  ],
  async measure(api) {
    const threads = Array.from({ length: 16 }, () => ({ id: randomUUID(), turns: 0 }));
    const rate = async (): Promise<number> => {
      const seconds = await timeTogether(16, RUNS * 2, async (run, lane) => {
        const thread = threads[lane]!;
        await echoOnce(api, `run ${run}`, ++thread.turns, thread.id);
      });
      return (RUNS * 2) / seconds;
    };
    await rate();
    const rates = await rounds(ROUNDS, rate);
    return { figures: { 'warm-16': { value: median(rates) } }, operations: RUNS * 2 * (ROUNDS + 1) };
  },
};
