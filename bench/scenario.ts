import type { AgentApi } from './agent-api.ts';
import type { Floor } from './floor.ts';

/** A figure and its target. */
export interface Goal {
  name: string;
  unit: 'ms' | 'runs/s' | 'events/s' | 's' | 'times' | 'KB' | 'MB';
  /** Undefined if the figure is only informative. */
  target?: { atMost: number } | { atLeast: number };
  /** The same figure measured without a server, in this process. */
  floor?: keyof Floor;
  about: string;
}

export interface Measure {
  value: number;
  /** Durations that the value is computed from, in ms. */
  samples?: number[];
}

export interface Scenario {
  /** Name for `--scenario`. */
  name: string;
  goals: Goal[];
  /** Measures every goal, by name, and the work done. Throws on any wrong response. */
  measure(api: AgentApi): Promise<Measured>;
}

export interface Measured {
  figures: Record<string, Measure>;
  /** Number of runs, or else requests, by which to divide the CPU time; undefined omits it. */
  operations?: number;
}

/** The server's response is wrong, so its speed does not matter. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted)
    throw new WrongAnswer(`${what}: ${found?.slice(0, 200)} instead of ${wanted?.slice(0, 200)}`);
}
