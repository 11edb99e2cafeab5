import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import {
  findThread,
  insertThread,
  type NewThread,
} from '../../src/agent-server/records/thread-repository.ts';
import { expireThreads } from '../../src/agent-server/threads/thread-ttl.ts';
import { uuid7 } from '../../src/platform/ids.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

beforeEach(() => database.db.query('truncate thread, checkpoint cascade'));

/** A thread with two checkpoints that expired a minute ago. */
async function makeExpired(fields: Partial<NewThread> = {}): Promise<string> {
  const thread_id = uuid7();
  await insertThread(database.db, {
    thread_id,
    metadata: {},
    ttl: { strategy: 'delete', minutes: 5 },
    ...fields,
  });
  await database.db.query(`update thread set expires_at = now() - interval '1 minute' where thread_id = $1`, [
    thread_id,
  ]);
  for (const id of [randomUUID(), randomUUID()]) {
    await database.db.query(
      `insert into checkpoint (thread_id, checkpoint_ns, checkpoint_id, format, channel_versions, body, metadata)
       values ($1, '', $2, 4, '{}', '{}', '{}')`,
      [thread_id, id],
    );
  }
  return thread_id;
}

/** Number of checkpoints per thread. */
async function countCheckpoints(): Promise<Record<string, number>> {
  const { rows } = await database.db.query<{ thread_id: string; count: number }>(
    'select thread_id, count(*) from checkpoint group by thread_id',
  );
  return Object.fromEntries(rows.map(({ thread_id, count }) => [thread_id, count]));
}

test('an expired thread is removed with its checkpoints, or pruned and renewed', async () => {
  const gone = await makeExpired();
  const kept = await makeExpired({ ttl: { strategy: 'keep_latest', minutes: 5 } });
  const before = await findThread(database.db, kept);
  expect(await expireThreads(database.db, 10)).toEqual({ deleted: 1, pruned: 1 });
  expect(await findThread(database.db, gone)).toBeUndefined();
  expect(await countCheckpoints()).toEqual({ [kept]: 1 });
  const { ttl, ...after } = (await findThread(database.db, kept, { ttl: true }))!;
  expect(after).toEqual(before);
  expect(Date.parse(ttl!.expires_at)).toBeGreaterThan(Date.now());
  expect(await expireThreads(database.db, 10)).toEqual({ deleted: 0, pruned: 0 });
});

test('threads of ended threadless runs are always removed', async () => {
  await makeExpired({ hidden: true, ttl: undefined });
  expect(await expireThreads(database.db, 10)).toEqual({ deleted: 0, pruned: 0 });
  expect(await expireThreads(database.db, 10, { hidden: true })).toEqual({ deleted: 1, pruned: 0 });
  expect(await countCheckpoints()).toEqual({});
});

test('busy and unexpired threads are left alone', async () => {
  const busy = await makeExpired();
  await database.db.query(`update thread set status = 'busy'`);
  await insertThread(database.db, {
    thread_id: randomUUID(),
    metadata: {},
    ttl: { strategy: 'delete', minutes: 5 },
  });
  await insertThread(database.db, { thread_id: randomUUID(), metadata: {} });
  expect(await expireThreads(database.db, 10)).toEqual({ deleted: 0, pruned: 0 });
  expect(await countCheckpoints()).toEqual({ [busy]: 2 });
});

test('several processes share the work in limited batches', async () => {
  for (let i = 0; i < 6; i++) await makeExpired();
  const outcomes = await Promise.all([1, 2].map(() => expireThreads(database.db, 2)));
  expect(outcomes.every(({ deleted }) => deleted <= 2)).toBe(true);
  const { rows } = await database.db.query('select from thread');
  expect(rows).toHaveLength(6 - outcomes[0]!.deleted - outcomes[1]!.deleted);
});
