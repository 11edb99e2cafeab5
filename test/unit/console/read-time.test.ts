import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { transformFileSync } from '@swc/core';

const source = fileURLToPath(new URL('../../../console/src/parts/read-time.ts', import.meta.url));

test('times without an offset are UTC in any browser time zone', () => {
  const { code } = transformFileSync(source, {
    jsc: { parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  const times = ['2026-01-01T12:00:00.500000', '2026-01-01T12:00:00.5Z', '2026-01-01T14:00:00.500000+02:00'];
  const shown = `console.log(JSON.stringify(${JSON.stringify(times)}.map(readTime)))`;
  const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', `${code}\n${shown}`], {
    env: { ...process.env, TZ: 'Asia/Tokyo' },
  });
  expect(JSON.parse(String(answer))).toEqual(times.map(() => Date.UTC(2026, 0, 1, 12, 0, 0, 500)));
});
