import { randomUUID } from 'node:crypto';
import type { AgentApi } from '../agent-api.ts';
import { readEvents } from '../event-stream.ts';
import { timeEach } from '../pacing.ts';
import { expectEqual, type Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const WARM_UP = 20;

/** Runs the one-node graph and checks its output; `turn` is the number of the run on its thread. */
export async function echoOnce(api: AgentApi, text: string, turn: number, threadId?: string): Promise<void> {
  const { reply, turns } = await api.wait('echo', { text }, threadId);
  expectEqual({ reply, turns }, { reply: `echo ${text}`, turns: turn }, 'Answer of a run');
}

export const waitOnWarmThread: Scenario = {
  name: 'wait-warm',
  goals: [
    {
      name: 'wait-warm',
      unit: 'ms',
      target: { atMost: 28 },
      floor: 'wait_ms_postgres',
      about: 'runs/wait of a one-node graph, sequentially, on a thread that has run before',
    },
  ],
  async measure(api) {
    const threadId = randomUUID();
    for (let turn = 1; turn <= WARM_UP; turn++) await echoOnce(api, 'warm', turn, threadId);
    const samples = await timeEach(150, (run) => echoOnce(api, `run ${run}`, WARM_UP + run + 1, threadId));
    return { figures: { 'wait-warm': { value: median(samples), samples } }, operations: WARM_UP + 150 };
  },
};

export const waitOnFreshThreads: Scenario = {
  name: 'wait-fresh',
  goals: [
    {
      name: 'wait-fresh',
      unit: 'ms',
      target: { atMost: 38 },
      floor: 'wait_ms_postgres',
      about: 'the same, each run on a new thread that the request creates',
    },
  ],
  async measure(api) {
    await echoOnce(api, 'warm', 1);
    const samples = await timeEach(100, (run) => echoOnce(api, `run ${run}`, 1));
    return { figures: { 'wait-fresh': { value: median(samples), samples } }, operations: 101 };
  },
};

export const firstEvent: Scenario = {
  name: 'first-event',
  goals: [
    {
      name: 'first-event',
      unit: 'ms',
      target: { atMost: 20 },
      about: 'from sending runs/stream to the first event of the stream, on a warm thread',
    },
  ],
  async measure(api) {
    const threadId = randomUUID();
    const samples: number[] = [];
    for (let run = 0; run < WARM_UP + 80; run++) {
      const reply = await api.stream('echo', { text: 'hello' }, 'updates', threadId);
      const names = readEvents(reply.text).map(({ event }) => event);
      expectEqual(names, ['metadata', 'updates'], 'Events of a run');
      if (run >= WARM_UP) samples.push(reply.firstEventAt - reply.sentAt);
    }
    return { figures: { 'first-event': { value: median(samples), samples } }, operations: WARM_UP + 80 };
  },
};
