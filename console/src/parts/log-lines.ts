import type { LogLine } from './LogView.tsx';

const MOST_LINES = 50_000;

/**
 * Lines with some more of them, by their times: what several replicas say arrives as it is written down. Lines of one
 * moment stay as they came. The oldest go when they are very many.
 */
export function withMore(lines: LogLine[], more: LogLine[]): LogLine[] {
  const all = [...lines, ...more];
  const isInOrder = more.every(
    ({ timestamp }, index) => timestamp >= (all[lines.length + index - 1]?.timestamp ?? 0),
  );
  if (!isInOrder) all.sort((one, other) => one.timestamp - other.timestamp);
  return all.slice(-MOST_LINES);
}
