import { expect } from '@jest/globals';
import type { Client } from '@langchain/langgraph-sdk';
import { until } from '../support/until.ts';
import { readTrace } from './cluster.ts';

export interface Cut {
  readonly file: string;
  /** The steps recorded by the graph before its worker died. */
  readonly ended: readonly string[];
  /** How many of them are in the thread's state. */
  readonly kept: number;
}

const keptOf = async (client: Client, threadId: string): Promise<number> =>
  (await client.threads.getState<{ done?: number[] }>(threadId)).values.done?.length ?? 0;

/** Waits until the thread's state has that many steps. */
export const untilKept = (client: Client, threadId: string, steps: number): Promise<void> =>
  until(`${steps} steps are kept`, async () => (await keptOf(client, threadId)) >= steps);

/** The traces of a run of the graph `steps` that no longer executes. */
export async function readCut(client: Client, threadId: string, file: string): Promise<Cut> {
  const ended = (await readTrace(file)).map(({ what }) => what);
  return { file, ended, kept: await keptOf(client, threadId) };
}

/**
 * Expects that the run resumed where it stopped and reached its last step. A step that ended before its worker died,
 * but whose checkpoint was not yet written, runs once more; stored steps don't.
 */
export async function expectWentOn({ file, ended, kept }: Cut, steps: number): Promise<void> {
  const all = [...Array(steps).keys()].map((step) => `step ${step + 1}`);
  const trace = (await readTrace(file)).map(({ what }) => what);
  const afterwards = trace.slice(ended.length);
  expect(trace.slice(0, ended.length)).toEqual(all.slice(0, ended.length));
  expect(afterwards).toEqual(all.slice(steps - afterwards.length));
  expect(afterwards.length).toBeGreaterThanOrEqual(steps - ended.length);
  expect(afterwards.length).toBeLessThanOrEqual(steps - kept);
}
