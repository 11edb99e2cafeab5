import type { Floor } from './floor.ts';
import type { Machine } from './machine.ts';
import type { Usage } from './process-usage.ts';
import type { Goal, Measured } from './scenario.ts';
import { percentile, rounded } from './statistics.ts';

/** One line of the result. */
export interface Figure {
  name: string;
  unit: Goal['unit'];
  value: number | null;
  p50: number | null;
  p95: number | null;
  /** Time as a multiple of the engine's in-process time, or share of its rate; null if there is none. */
  ratio_to_floor: number | null;
  target: string | null;
  ok: boolean;
  /** CPU time per run of the scenario, by part, in ms. */
  cpu_ms?: Usage['cpu'];
  /** CPUs kept busy by the rest of the machine; a tenth of one disturbs the figure. */
  others?: number;
  /** Peak memory of the server during the scenario, in MB. */
  rss_mb?: number;
  error?: string;
}

export interface Result {
  machine: Machine;
  node: string;
  versions: Record<string, string>;
  floor: Partial<Record<keyof Floor, number | null>>;
  seconds: number;
  scenarios: Figure[];
}

function meets(value: number, target: Goal['target']): boolean {
  if (!target) return true;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

export const describeTarget = (target: Goal['target']): string | null =>
  target ? ('atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`) : null;

/** Figures of a completed scenario. */
export function figuresOf(goals: Goal[], measured: Measured, floor: Floor, usage?: Usage): Figure[] {
  const { figures, operations } = measured;
  return goals.map((goal) => {
    const { value, samples } = figures[goal.name]!;
    const below = goal.floor && floor[goal.floor];
    return {
      ...figureOf(goal, value),
      p50: samples ? rounded(percentile(samples, 50)) : null,
      p95: samples ? rounded(percentile(samples, 95)) : null,
      ratio_to_floor: below ? rounded(value / below) : null,
      ...(usage &&
        operations !== undefined && {
          cpu_ms: perOperation(usage.cpu, operations),
          others: Math.round(usage.others * 100) / 100,
          rss_mb: Math.round(usage.rss),
        }),
    };
  });
}

/** A figure without a floor or samples. */
export const figureOf = ({ name, unit, target }: Goal, value: number): Figure => ({
  name,
  unit,
  value: rounded(value),
  p50: null,
  p95: null,
  ratio_to_floor: null,
  target: describeTarget(target),
  ok: meets(value, target),
});

/** Empty figures of a failed scenario. */
export function failedFigures(goals: Goal[], error: unknown): Figure[] {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return goals.map((goal) => ({ ...figureOf(goal, NaN), value: null, ok: false, error: message }));
}

const perOperation = (cpu: Usage['cpu'], operations: number): Usage['cpu'] => ({
  server: rounded(cpu.server / operations),
  temporal: rounded(cpu.temporal / operations),
  postgres: rounded(cpu.postgres / operations),
  client: rounded(cpu.client / operations),
});
