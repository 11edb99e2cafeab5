import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { endingOf } from '../../src/control-plane/drivers/ending.ts';
import { project } from '../support/agent-project.ts';

const ended = { code: 1, ranOut: false, megabytes: 512 };

test('a crash shows file, line and the whole message, without the stack', () => {
  const file = join(project({}), 'agent.mjs');
  writeFileSync(
    file,
    `console.error('listening');
    const deep = (n) => { if (n > 0) return deep(n - 1); throw new Error('no tool for:\\n- search\\n- fetch'); };
    deep(20);`,
  );
  const { stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  const { reason, lines } = endingOf({ ...ended, output: stderr.split('\n') });
  expect(reason).toBe('it ended with exit code 1');
  expect(lines[0]).toBe(`file://${file}:2`);
  expect(lines.slice(3)).toEqual(['Error: no tool for:', '- search', '- fetch']);
});

test('the last error of the server shows all of its lines', () => {
  const output = [
    '{"level":30,"msg":"ready"}',
    'slipway: a.ts:1:1: Error: first',
    '  second',
    '    at x (a.ts:1:1)',
  ];
  expect(endingOf({ ...ended, output }).lines).toEqual(['slipway: a.ts:1:1: Error: first', '  second']);
});

test('an agent that prints no error shows its last lines', () => {
  const output = [...Array(20).keys()].map(String);
  expect(endingOf({ ...ended, output }).lines).toEqual(output.slice(-8));
});
