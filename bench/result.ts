import type { Floor } from './floor.ts';
import type { Machine } from './machine.ts';
import type { CpuTimes } from './process-usage.ts';
import type { Goal, Measured } from './scenario.ts';
import { percentile, rounded } from './statistics.ts';

/** One line of the result. */
export interface Figure {
  name: string;
  unit: Goal['unit'];
  value: number | null;
  p50: number | null;
  p95: number | null;
  /** How many times what the engine takes in process, or what part of its rate; null where nothing compares. */
  ratio_to_floor: number | null;
  target: string | null;
  ok: boolean;
  /** CPU milliseconds for each run of the scenario, of each part. */
  cpu_ms?: CpuTimes;
  error?: string;
}

export interface Result {
  machine: Machine;
  node: string;
  versions: Record<string, string>;
  floor: Record<keyof Floor, number | null>;
  seconds: number;
  scenarios: Figure[];
}

export function meets(value: number, target: Goal['target']): boolean {
  if (!target) return true;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

export const describeTarget = (target: Goal['target']): string | null =>
  target ? ('atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`) : null;

/** The figures of a scenario that ran to its end. */
export function figuresOf(
  goals: Goal[],
  { figures, operations }: Measured,
  cpu: CpuTimes | undefined,
  floor: Floor,
): Figure[] {
  return goals.map(({ name, unit, target, floor: key }) => {
    const { value, samples } = figures[name]!;
    const below = key && floor[key];
    return {
      name,
      unit,
      value: rounded(value),
      p50: samples ? rounded(percentile(samples, 50)) : null,
      p95: samples ? rounded(percentile(samples, 95)) : null,
      ratio_to_floor: below ? rounded(value / below) : null,
      target: describeTarget(target),
      ok: meets(value, target),
      ...(cpu && { cpu_ms: perOperation(cpu, operations) }),
    };
  });
}

/** The figures of a scenario that failed: none. */
export function failedFigures(goals: Goal[], error: unknown): Figure[] {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return goals.map(({ name, unit, target }) => ({
    name,
    unit,
    value: null,
    p50: null,
    p95: null,
    ratio_to_floor: null,
    target: describeTarget(target),
    ok: false,
    error: message,
  }));
}

const perOperation = ({ server, temporal, postgres, client }: CpuTimes, operations: number): CpuTimes => ({
  server: rounded(server / operations),
  temporal: rounded(temporal / operations),
  postgres: rounded(postgres / operations),
  client: rounded(client / operations),
});
