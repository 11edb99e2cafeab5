import type { Figure, Result } from './result.ts';

const COLUMNS = [
  'figure',
  'value',
  'unit',
  'p50',
  'p95',
  'target',
  '',
  'of floor',
  'CPU ms: server',
  'temporal',
  'postgres',
  'client',
  'others',
  'RSS MB',
];
const TEXT = new Set([0, 2, 6]);

const cells = (figure: Figure): string[] => {
  const { name, value, unit, p50, p95, target, ratio_to_floor: ratio, cpu_ms: cpu, ok, error } = figure;
  const verdict = error ? 'FAILED' : target === null ? '' : ok ? 'ok' : 'MISSED';
  const costs = [cpu?.server, cpu?.temporal, cpu?.postgres, cpu?.client, figure.others, figure.rss_mb];
  return [
    name,
    value ?? '–',
    unit,
    p50,
    p95,
    target,
    verdict,
    ratio === null ? '' : `× ${ratio}`,
    ...costs,
  ].map((cell) => String(cell ?? ''));
};

/** Formats the result as a table. */
export function formatTable({ machine, node, floor, scenarios, seconds }: Result): string {
  const lines = formatRows([COLUMNS, ...scenarios.map(cells)], TEXT);
  const { cores, cpu, memory_gb, load_before } = machine;
  return [
    `${cores} × ${cpu}, ${memory_gb} GB, load ${load_before.toFixed(2)} before, Node ${node}, ${Math.round(seconds)} s`,
    `in process: ${Object.entries(floor)
      .map(([name, value]) => `${name} ${value ?? '–'}`)
      .join(', ')}`,
    '',
    ...lines,
    ...scenarios.flatMap(({ name, error }) => (error ? [`${name}: ${error}`] : [])),
  ].join('\n');
}

/** Aligns columns: numbers to the right, `text` columns to the left. */
export function formatRows(rows: string[][], text: Set<number>): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        text.has(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}
