import { randomUUID } from 'node:crypto';
import type { CallOptions } from '../../../src/graph-protocol/open-call.ts';
import type { HostUnderTest } from '../../support/host-under-test.ts';

export interface RunParams {
  graph_id: string;
  input?: unknown;
  command?: object;
  stream_mode?: string[];
  thread_id?: string;
  run_id?: string;
  config?: { configurable?: object; context?: object; recursion_limit?: number };
  [other: string]: unknown;
}

export interface RunAnswer {
  values: Record<string, unknown>;
  interrupts: Record<string, { id: string; value: unknown }[]>;
  waiting: boolean;
  units?: { checkpoint?: object }[];
}

export interface Ran {
  thread_id: string;
  run_id: string;
  answer: RunAnswer;
  events: [name: string, data: unknown][];
  /** Data of the events of one name. */
  of(name: string): unknown[];
}

/** Runs a graph to its end, with the parameters that the server would send. */
export async function runOn(
  { channel }: Pick<HostUnderTest, 'channel'>,
  { graph_id, thread_id = randomUUID(), run_id = randomUUID(), config = {}, ...others }: RunParams,
  options: CallOptions = {},
): Promise<Ran> {
  const events: Ran['events'] = [];
  const params = {
    graph_id,
    run_id,
    thread_id,
    assistant_id: randomUUID(),
    resume: false,
    input: null,
    command: null,
    stream_mode: ['values'],
    subgraphs: false,
    interrupt_before: null,
    interrupt_after: null,
    durability: 'async',
    user: null,
    leave_ms: 2_000,
    config: { metadata: {}, ...config, configurable: { thread_id, ...config.configurable } },
    ...others,
  };
  const onData = (name: string, body: Buffer) => {
    events.push([name, JSON.parse(body.toString())]);
    return undefined;
  };
  const answer = await channel.call<RunAnswer>('run', params, { onData, ...options });
  const of = (name: string) => events.filter(([event]) => event === name).map(([, data]) => data);
  return { thread_id, run_id, answer, events, of };
}

/** Configuration of calls that read or write the state of a thread. */
export const configOf = (thread_id: string) => ({ configurable: { thread_id } });
