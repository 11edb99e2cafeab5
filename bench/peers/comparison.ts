import type { Goal, Scenario } from '../scenario.ts';
import { median, rounded } from '../statistics.ts';
import { formatRows } from '../table.ts';
import type { Peer, Rounds } from './peer.ts';

/** One figure of all servers: medians of the rounds. */
export interface Comparison {
  name: string;
  unit: Goal['unit'];
  /** In the order of the servers; null if a response was wrong. */
  values: (number | null)[];
  /** How many times better the first server is than the second; below 1, it is worse. */
  ratio: number | null;
  /** CPU time of each server with its services per run, in ms. */
  cpu_ms: (number | null)[];
  errors: (string | null)[];
}

export function compare({ goals }: Scenario, rounds: Rounds): Comparison[] {
  return goals.map(({ name, unit }) => {
    const values = rounds.map((of) => medianOf(of, (measured) => measured.figures[name]?.value));
    const [own, other] = values;
    return {
      name,
      unit,
      values,
      ratio: own && other ? rounded(unit.endsWith('/s') ? own / other : other / own) : null,
      cpu_ms: rounds.map((of) => medianOf(of, ({ cpuMs, operations }) => operations && cpuMs / operations)),
      errors: rounds.map((of) => of.find((one) => one instanceof Error)?.message ?? null),
    };
  });
}

function medianOf(
  rounds: Rounds[number],
  read: (measured: Exclude<Rounds[number][number], Error>) => number | undefined,
): number | null {
  const found = rounds.map((one) => (one instanceof Error ? undefined : read(one)));
  const numbers = found.filter((value) => value !== undefined);
  return numbers.length < rounds.length || numbers.length === 0 ? null : rounded(median(numbers));
}

export function formatComparisons(peers: Peer[], comparisons: Comparison[]): string {
  const names = peers.map(({ name }) => name);
  const head = ['figure', 'unit', ...names, 'better', ...names.map((name) => `CPU ms: ${name}`)];
  const rows = comparisons.map(({ name, unit, values, ratio, cpu_ms, errors }) => [
    name,
    unit,
    ...values.map((value, index) => (errors[index] ? 'failed' : String(value ?? '–'))),
    ratio === null ? '' : `× ${ratio}`,
    ...cpu_ms.map((value) => String(value ?? '')),
  ]);
  const failures = comparisons.flatMap(({ name, errors }) =>
    errors.flatMap((error, index) => (error ? [`${name}, ${names[index]}: ${error}`] : [])),
  );
  return [...formatRows([head, ...rows], new Set([0, 1])), ...failures].join('\n');
}
