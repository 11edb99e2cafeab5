import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Sweep, Sweeps } from '../../src/platform/sweeps/sweeps.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
const log = pino({ level: 'silent' });
const started: Sweeps[] = [];

beforeEach(() => database.db.query('delete from sweep'));
afterEach(() => started.splice(0).forEach((sweeps) => sweeps.stop()));

async function start(...sweeps: Sweep[]): Promise<Sweeps> {
  const worker = new Sweeps(database.db, 'sweep', sweeps, log);
  started.push(worker);
  await worker.start();
  return worker;
}

const rowOf = async (name: string) =>
  (await database.db.query('select * from sweep where name = $1', [name])).rows[0] as {
    due_at: Date | number;
    ran_at: Date | null;
    result: object | null;
    error: string | null;
  };

test('workers share a sweep: it runs at its interval, one at a time', async () => {
  let now = 0;
  let most = 0;
  let runs = 0;
  const sweep = {
    name: 'shared',
    everySeconds: 1,
    run: async () => {
      runs++;
      most = Math.max(most, ++now);
      await delay(300);
      now--;
      return { runs };
    },
  };
  const begun = Date.now();
  await start(sweep);
  await start(sweep);
  await start(sweep);
  await until('it has run three times', async () => runs >= 3);
  expect(Date.now() - begun).toBeGreaterThan(2_000);
  expect(most).toBe(1);
  await until('the result is stored', async () => (await rowOf('shared')).result !== null);
});

test('a sweep whose worker died runs again when its lease ends', async () => {
  await database.db.query(
    `insert into sweep (name, held_until) values ('left', now() + interval '2 seconds')`,
  );
  let ranAt = 0;
  const begun = Date.now();
  await start({
    name: 'left',
    everySeconds: 1,
    run: async () => {
      ranAt ||= Date.now();
      return {};
    },
  });
  await until('it runs', async () => ranAt > 0);
  expect(ranAt - begun).toBeGreaterThan(1_500);
});

test('a failed sweep shows its error and runs again', async () => {
  let runs = 0;
  await start({
    name: 'fails',
    everySeconds: 1,
    run: async () => {
      if (++runs === 1) throw new Error('no such table');
      return {};
    },
  });
  await until('the error is stored', async () => (await rowOf('fails')).error === 'Error: no such table');
  await until('it is gone', async () => (await rowOf('fails')).error === null);
});

test('operators pause a sweep, and run it now', async () => {
  let runs = 0;
  const sweep = { name: 'asked-for', everySeconds: 3600, run: async () => ({ runs: ++runs }) };
  await start({ name: 'ticks', everySeconds: 1, run: async () => ({}) }, sweep);
  await until('it has run', async () => (await rowOf('asked-for')).ran_at !== null);
  await database.db.query(`update sweep set due_at = now() where name = 'asked-for'`);
  await until('it runs again', async () => runs === 2);
  await database.db.query(`update sweep set due_at = 'infinity' where name = 'asked-for'`);
  await start({ ...sweep, everySeconds: 1 });
  await delay(2_000);
  expect(runs).toBe(2);
});

test('a shorter interval applies from the next start', async () => {
  let runs = 0;
  const sweep = { name: 'sooner', everySeconds: 3600, run: async () => ({ runs: ++runs }) };
  (await start(sweep)).stop();
  await until('it has run', async () => (await rowOf('sooner')).ran_at !== null);
  await start({ ...sweep, everySeconds: 1 });
  await until('it runs again', async () => runs > 1);
});
