import { expect, test } from '@jest/globals';
import { type LogLine, plainLine, withMore } from '../../../console/src/parts/log-lines.ts';

const line = (id: string, timestamp: number, message = ''): LogLine => ({
  id,
  timestamp,
  level: 'info',
  message,
});
const ids = (lines: LogLine[]): string => lines.map(({ id }) => id).join(' ');

test('lines are ordered by time across replicas; simultaneous ones keep their order', () => {
  const first = withMore([], [line('a', 10), line('b', 30)]);
  expect(ids(withMore(first, [line('c', 30), line('d', 40)]))).toBe('a b c d');
  expect(ids(withMore(first, [line('e', 20), line('f', 30)]))).toBe('a e b f');
});

test('terminal escape sequences are removed', () => {
  expect(plainLine(line('a', 1, '\u001b[2m\u001b[33m WARN\u001b[0m retry\u001b[K')).message).toBe(
    ' WARN retry',
  );
  expect(plainLine(line('a', 1, 'an array [2m]')).message).toBe('an array [2m]');
});
