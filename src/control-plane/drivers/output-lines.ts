import type { LogLevel } from '../log.ts';
import type { NewLine } from '../logs/log-repository.ts';

const LONGEST = 16_384;
const FAILURE = /(?:error|fatal|exception|failed|cannot|denied)\b/i;

/** Parses a line of an agent's output, from our server's log or anything else. */
export function readLine(text: string, now: number): NewLine {
  const line = text.replaceAll('\0', '\uFFFD').slice(0, LONGEST);
  if (line.startsWith('{"level":')) {
    try {
      return readServerLine(JSON.parse(line) as Record<string, unknown>, now);
    } catch {
      // Not a line of our log.
    }
  }
  return { level: FAILURE.test(line) ? 'error' : 'info', message: line, at: now };
}

function readServerLine({ level, time, msg, ...rest }: Record<string, unknown>, now: number): NewLine {
  const details = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
  return {
    level: levelOf(Number(level)),
    message: `${typeof msg === 'string' ? msg : ''}${details}`.trim(),
    at: typeof time === 'number' ? time : now,
  };
}

const levelOf = (number: number): LogLevel => {
  if (number >= 50) return 'error';
  if (number >= 40) return 'warn';
  return number >= 30 ? 'info' : 'debug';
};
