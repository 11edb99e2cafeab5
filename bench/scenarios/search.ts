import { randomUUID } from 'node:crypto';
import { timeEach, timeTogether } from '../pacing.ts';
import { expectEqual, type Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const THREADS = 5_000;
const CUSTOMERS = 500;

export const threadSearch: Scenario = {
  name: 'search',
  goals: [
    {
      name: 'search',
      unit: 'ms',
      target: { atMost: 4 },
      about: 'threads/search by metadata, ten of 5,000 threads found',
    },
  ],
  async measure(api) {
    const batch = randomUUID();
    await timeTogether(16, THREADS, (index) =>
      api.createThread({ batch, customer: `c${index % CUSTOMERS}` }),
    );
    const samples = await timeEach(120, async (index) => {
      const customer = `c${(index * 37) % CUSTOMERS}`;
      const found = await api.searchThreads({ batch, customer }, 10);
      const customers = new Set(found.map(({ metadata }) => metadata['customer']));
      expectEqual([found.length, [...customers]], [THREADS / CUSTOMERS, [customer]], 'Threads found');
    });
    // The first requests run before recent writes are indexed.
    const settled = samples.slice(20);
    return { figures: { search: { value: median(settled), samples: settled } }, operations: samples.length };
  },
};
