import type { AgentApi } from './agent-api.ts';
import type { Floor } from './floor.ts';

/** What one figure is, and what it should be. */
export interface Goal {
  name: string;
  unit: 'ms' | 'runs/s' | 'events/s' | 's' | 'times' | 'KB' | 'MB';
  /** Undefined: shown for what it tells, held to nothing. */
  target?: { atMost: number } | { atLeast: number };
  /** The same without a server, in this process. */
  floor?: keyof Floor;
  about: string;
}

export interface Measure {
  value: number;
  /** Durations in ms, where the value is made of some. */
  samples?: number[];
}

export interface Scenario {
  /** What `--scenario` selects. */
  name: string;
  goals: Goal[];
  /** Measures every goal, by its name, and how much work it did. Throws on any wrong answer. */
  measure(api: AgentApi): Promise<Measured>;
}

export interface Measured {
  figures: Record<string, Measure>;
  /** Runs (or requests, where there are no runs) that the CPU time of the scenario is divided by; undefined: none is told. */
  operations?: number;
}

/** Thrown when the server's answer is wrong; speed does not matter then. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted)
    throw new WrongAnswer(`${what}: ${found?.slice(0, 200)} instead of ${wanted?.slice(0, 200)}`);
}
