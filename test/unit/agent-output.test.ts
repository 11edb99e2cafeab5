import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { exportScript } from '../../src/platform/export-script.ts';
import { readLine } from '../../src/control-plane/drivers/output-lines.ts';

test('a line of our server keeps its level, its time and its details', () => {
  const line = '{"level":40,"time":1700000000000,"run_id":"r-1","msg":"run stopped"}';
  expect(readLine(line, 5)).toEqual({
    level: 'warn',
    at: 1_700_000_000_000,
    message: 'run stopped {"run_id":"r-1"}',
  });
});

test.each([
  ['hello', 'info'],
  ['TypeError: x is not a function', 'error'],
  ['Error: out of luck', 'error'],
  ['{"level":"odd', 'info'],
])('any other line is taken as it is: %s', (message, level) => {
  expect(readLine(message, 5)).toEqual({ level, message, at: 5 });
});

test('the shell reads any value literally', () => {
  const value = `it's "$HOME" \`id\` $(id) \\ \n second line`;
  const script = `${exportScript({ VALUE: value })}\nprintf '%s' "$whole:$VALUE"`;
  expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })).toBe(`yes:${value}`);
});
