import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { endOf } from '../support/child-end.ts';
import { findFaketime, shiftedTo } from '../support/shifted-clock.ts';
import { startShiftedPostgres } from '../support/shifted-postgres.ts';
import { type Day, DAYS } from './days.ts';

/** Tests that depend on dates: weeks, partitions, retention, statistics, prices, times to live and crons. */
const FILES = [
  'test/api/crons',
  'test/api/streams-retention',
  'test/repository/(cron|store-ttl|thread-ttl)',
  'test/tracing/(projects|query|retention-exports|searched-words|unpacked-runs)',
  'test/tracing/usage/',
  'test/unit/(cron-times|thread-ttl|tracing-filter)',
];
const LONGEST_MS = 900_000;

const found = await findFaketime();
const library = 'library' in found ? found.library : '';
const check = library ? test : test.skip;
if ('reason' in found) process.stderr.write(`No day is shifted: ${found.reason}\n`);

check.each(daysOfThisRun())(
  'date-dependent behaviour on $name',
  async ({ name, time, zone = 'UTC' }) => {
    process.stderr.write(`Dates are tested on ${name}: again with SLIPWAY_TEST_DAY='${name}'\n`);
    const clock = shiftedTo(library, new Date(time));
    const postgres = await startShiftedPostgres(clock);
    try {
      const { code, output } = await runFiles({ ...clock, TZ: zone, TEST_DATABASE_URL: postgres.url });
      expect(code === 0 ? '' : output).toBe('');
    } finally {
      await postgres.stop();
    }
  },
  LONGEST_MS,
);

/** All days in `npm run test:all`; otherwise the requested one, or a different one each time. */
function daysOfThisRun(): Day[] {
  const asked = process.env['SLIPWAY_TEST_DAY'];
  if (!asked) return process.env['SLIPWAY_TEST_ALL'] ? DAYS : [DAYS[randomInt(DAYS.length)]!];
  const day = DAYS.find(({ name }) => name === asked);
  if (!day) throw new Error(`SLIPWAY_TEST_DAY is none of: ${DAYS.map(({ name }) => name).join(', ')}`);
  return [day];
}

/** A separate Jest, because a process's clock is set at its start. Temporal, written in Go, keeps the real clock. */
async function runFiles(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--silent', '--maxWorkers=2'];
  const child = spawn(process.execPath, [...jest, ...FILES], {
    cwd: fileURLToPath(packageRoot),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { code: await endOf(child), output };
}
