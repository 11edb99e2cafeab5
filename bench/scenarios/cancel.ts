import { pause, timeEach } from '../pacing.ts';
import { expectEqual, type Scenario } from '../scenario.ts';
import { percentile } from '../statistics.ts';

const CANCELS = 20;

export const cancelling: Scenario = {
  name: 'cancel',
  goals: [
    {
      name: 'cancel',
      unit: 'ms',
      target: { atMost: 200 },
      about: 'from sending a cancellation to the response that the graph has stopped: 95th percentile',
    },
  ],
  async measure(api) {
    const before = await cutShort();
    const samples: number[] = [];
    for (let index = 0; index < CANCELS; index++) {
      const threadId = await api.createThread();
      const { run_id } = await api.start('sleep', { ms: 30_000 }, threadId);
      await pause(60);
      samples.push(...(await timeEach(1, () => api.cancel(threadId, run_id))));
      expectEqual((await api.getRun(threadId, run_id)).status, 'interrupted', 'Status of a cancelled run');
    }
    // The graphs themselves count the cancellations they noticed.
    expectEqual((await cutShort()) - before, CANCELS, 'Graphs that heard of their cancel');
    return { figures: { cancel: { value: percentile(samples, 95), samples } }, operations: CANCELS };

    async function cutShort(): Promise<number> {
      return Number((await api.wait('sleep', { ms: 1 }))['cut_short']);
    }
  },
};
