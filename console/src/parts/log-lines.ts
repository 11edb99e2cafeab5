export interface LogLine {
  id: string;
  /** ms since 1970. */
  timestamp: number;
  level: string;
  message: string;
}

const MOST_LINES = 50_000;

// What colours and moves things in a terminal.
const [ESCAPE, BELL] = ['\u001b', '\u0007'];
const CODES = new RegExp(
  `${ESCAPE}(?:\\[[\\d;?]*[A-Za-z]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\))`,
  'g',
);

/** A line as it is read, without what was meant for a terminal. */
export const plainLine = (line: LogLine): LogLine => ({
  ...line,
  message: line.message.replaceAll(CODES, ''),
});

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
