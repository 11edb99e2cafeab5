import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { insertAssistant } from '../../src/agent-server/records/assistant-repository.ts';
import { type CronRow, findCron, insertCron } from '../../src/agent-server/records/cron-repository.ts';
import { dropSlot, firingStatements, isDealtWith } from '../../src/agent-server/crons/firing-repository.ts';
import { inPipeline } from '../../src/platform/db/database.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
const NEXT = '2026-11-21T10:01:00.000Z';
let cron: CronRow;

beforeEach(async () => {
  const assistant_id = randomUUID();
  await insertAssistant(database.db, {
    assistant_id,
    graph_id: 'echo',
    config: {},
    context: {},
    metadata: {},
    description: null,
  });
  const { cron_id } = await insertCron(database.db, {
    cron_id: randomUUID(),
    assistant_id,
    thread_id: null,
    user_id: '',
    caller: { configurable: {} },
    schedule: '* * * * *',
    timezone: null,
    end_time: null,
    payload: {},
    metadata: {},
    on_run_completed: 'delete',
    enabled: true,
    next_run_date: '2026-11-21T10:00:00.000Z',
  });
  cron = (await findCron(database.db, cron_id))!;
});

const firing = () => ({ cron, run_id: randomUUID(), slot: cron.next_run_date!, next: NEXT });
const fire = () => inPipeline(database.db, firingStatements(firing()));
const firings = async () =>
  (await database.db.query('select from cron_firing where cron_id = $1', [cron.cron_id])).rows.length;

test('exactly one of many concurrent firings of one time wins', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, fire));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(19);
  expect(refused.every(isDealtWith)).toBe(true);
  expect(await firings()).toBe(1);
  expect((await findCron(database.db, cron.cron_id))!.next_run_date).toBe('2026-11-21T10:01:00.000000+00:00');
});

test('a time can be dropped, once or again', async () => {
  await dropSlot(database.db, firing());
  await dropSlot(database.db, firing());
  expect(await firings()).toBe(1);
});

test('a cron that is gone fires nothing', async () => {
  await database.db.query('delete from cron where cron_id = $1', [cron.cron_id]);
  await expect(fire()).rejects.toThrow();
  await expect(dropSlot(database.db, firing())).resolves.toBeUndefined();
});

test('a cron changed meanwhile keeps its new next run date', async () => {
  await database.db.query(
    `update cron set revision = revision + 1, next_run_date = '2030-01-01T00:00:00Z' where cron_id = $1`,
    [cron.cron_id],
  );
  await fire();
  expect((await findCron(database.db, cron.cron_id))!.next_run_date).toMatch(/^2030/);
});

test('temporary failures do not count as failed firings', () => {
  expect(isDealtWith(Object.assign(new Error('x'), { code: '23505', table: 'run' }))).toBe(false);
  expect(isDealtWith(new Error('x'))).toBe(false);
});
