import { randomUUID } from 'node:crypto';
import { bodyOf } from '../agent-api.ts';
import { pause, until } from '../pacing.ts';
import { expectEqual, type Scenario } from '../scenario.ts';
import { percentile } from '../statistics.ts';

const CRONS = 20;
/** Time that must be left in the current minute to create them all. */
const ROOM_MS = 15_000;

interface Cron {
  cron_id: string;
  next_run_date: string;
}

export const cronLateness: Scenario = {
  name: 'cron',
  goals: [
    {
      name: 'cron',
      unit: 'ms',
      target: { atMost: 1_000 },
      about: '20 crons that are due at the same minute: from that minute to their runs, 95th percentile',
    },
  ],
  async measure(api) {
    const left = 60_000 - (Date.now() % 60_000);
    if (left < ROOM_MS) await pause(left);
    const batch = randomUUID();
    const body = {
      assistant_id: 'echo',
      schedule: '* * * * *',
      input: { text: 'tick' },
      metadata: { batch },
      on_run_completed: 'keep',
    };
    const crons: Cron[] = [];
    for (let made = 0; made < CRONS; made++)
      crons.push(bodyOf(await api.client.send('POST', '/runs/crons', body)));
    try {
      const due = Date.parse(crons[0]!.next_run_date);
      await pause(due - Date.now());
      await until(
        'Crons fire',
        30_000,
        async () => (await api.countThreads({ batch }, 'idle')) >= CRONS,
        250,
      );
      const threads = await api.searchThreads({ batch }, CRONS);
      const runs = await Promise.all(threads.map(({ thread_id }) => api.listRuns(thread_id, 2)));
      expectEqual(
        runs.map((ofThread) => ofThread.map(({ status }) => status)),
        Array.from({ length: CRONS }, () => ['success']),
        'Runs of crons',
      );
      const samples = runs.map(([run]) => Date.parse(run!.created_at) - due);
      return { figures: { cron: { value: percentile(samples, 95), samples } }, operations: CRONS };
    } finally {
      for (const { cron_id } of crons) await api.client.send('DELETE', `/runs/crons/${cron_id}`);
    }
  },
};
