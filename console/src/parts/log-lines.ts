export interface LogLine {
  id: string;
  /** ms since 1970. */
  timestamp: number;
  level: string;
  message: string;
}

const MAX_LINES = 50_000;

// Terminal escape sequences for colours and cursor movement.
const [ESCAPE, BELL] = ['\u001b', '\u0007'];
const CODES = new RegExp(
  `${ESCAPE}(?:\\[[\\d;?]*[A-Za-z]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\))`,
  'g',
);

/** Removes terminal escape sequences from a line. */
export const plainLine = (line: LogLine): LogLine => ({
  ...line,
  message: line.message.replaceAll(CODES, ''),
});

/**
 * Merges lines by timestamp, because replicas write concurrently. Lines with equal timestamps keep their order. Drops
 * the oldest lines beyond a limit.
 */
export function withMore(lines: LogLine[], more: LogLine[]): LogLine[] {
  const all = [...lines, ...more];
  const isInOrder = more.every(
    ({ timestamp }, index) => timestamp >= (all[lines.length + index - 1]?.timestamp ?? 0),
  );
  if (!isInOrder) all.sort((one, other) => one.timestamp - other.timestamp);
  return all.slice(-MAX_LINES);
}
