import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/platform/db/database.ts';
import { FIXTURES } from '../support/agent-server.ts';
import { clientOf, useCluster } from './cluster.ts';
import { until } from '../support/until.ts';

const cluster = useCluster();

const HOLD = `select from thread where thread_id = $1 for update`;

/** Threads as runs create them, each with two checkpoints. */
async function makeThreads(count: number, fields = ''): Promise<string[]> {
  const ids = [...Array(count)].map(() => randomUUID()).sort();
  await cluster.db.query(
    `insert into thread (thread_id, ttl_strategy, ttl_minutes, expires_at)
     select id, ${fields || 'null, null, null'} from unnest($1::uuid[]) id`,
    [ids],
  );
  await cluster.db.query(
    `insert into checkpoint (thread_id, checkpoint_ns, checkpoint_id, format, channel_versions, body, metadata)
     select id, '', gen_random_uuid(), 4, '{}', '{}', '{}' from unnest($1::uuid[]) id, generate_series(1, 2)`,
    [ids],
  );
  return ids;
}

const count = async (table: string): Promise<number> =>
  (await cluster.db.query<{ count: number }>(`select count(*) from ${table}`)).rows[0]!.count;

/** Keeps one thread from being touched until released. */
async function hold(threadId: string): Promise<() => Promise<void>> {
  const db = openDatabase({ url: cluster.databaseUrl, poolSize: 1 });
  const client = await db.connect();
  await client.query('begin');
  await client.query(HOLD, [threadId]);
  return async () => {
    await client.query('commit');
    client.release();
    await db.end();
  };
}

test('a prune of many threads continues after its worker is killed', async () => {
  const api = await cluster.start({ role: 'api' });
  const worker = await cluster.start({ role: 'worker' });
  const ids = await makeThreads(350);
  const release = await hold(ids[250]!);
  const answer = fetch(`${api.url}/threads/prune`, {
    method: 'POST',
    body: JSON.stringify({ thread_ids: [...ids, randomUUID()], strategy: 'keep_latest' }),
  });
  await until('two of four batches are done', async () => (await count('checkpoint')) === 500);
  await worker.end('SIGKILL');
  await release();
  const next = await cluster.start({ role: 'worker' });
  expect(await (await answer).json()).toEqual({ pruned_count: 350 });
  expect(await count('checkpoint')).toBe(350);
  expect(await clientOf(api).threads.count()).toBe(350);
  await Promise.all([next.end('SIGKILL'), api.end('SIGKILL')]);
});

test('a prune continues after its API is killed', async () => {
  await cluster.db.query('truncate thread, checkpoint cascade');
  const api = await cluster.start({ role: 'api' });
  const worker = await cluster.start({ role: 'worker' });
  const ids = await makeThreads(250);
  const release = await hold(ids[150]!);
  const answer = fetch(`${api.url}/threads/prune`, {
    method: 'POST',
    body: JSON.stringify({ thread_ids: ids }),
  }).catch(() => 'cut');
  await until('the first batch is gone', async () => (await count('thread')) === 150);
  await api.end('SIGKILL');
  expect(await answer).toBe('cut');
  await release();
  await until('all are gone', async () => (await count('thread')) + (await count('checkpoint')) === 0);
  // The rest tests the workers that it starts.
  await worker.end('SIGKILL');
});

test('the sweep of expired threads continues after its worker is killed', async () => {
  await cluster.db.query('truncate thread, checkpoint cascade');
  const ttl = { sweep_interval_minutes: 0.02, sweep_limit: 200 };
  await writeFile(
    join(cluster.folder, 'graph.json'),
    JSON.stringify({ graphs: { echo: join(dirname(FIXTURES), 'src/echo.ts:graph') }, checkpointer: { ttl } }),
  );
  const ids = await makeThreads(150, `'delete', 1, now() - interval '1 hour'`);
  const kept = await makeThreads(1, `'delete', 1, now() + interval '1 hour'`);
  // The oldest go first.
  await cluster.db.query(
    `update thread set expires_at = now() - interval '1 minute' where thread_id = any($1::uuid[])`,
    [ids.slice(100)],
  );
  const busy = ids.at(-1)!;
  const trigger = `create function hold() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(4711); return old; end $$;
    create trigger hold before delete on thread for each row when (old.thread_id = '${busy}') execute function hold()`;
  await cluster.db.query(trigger);
  const holder = await cluster.db.connect();
  await holder.query('select pg_advisory_lock(4711)');
  const options = { config: join(cluster.folder, 'graph.json') };
  const first = await cluster.start(options);
  await until('two of three batches are gone', async () => (await count('thread')) === 51);
  await first.end('SIGKILL');
  await holder.query('select pg_advisory_unlock(4711)');
  holder.release();
  await cluster.start(options);
  await until('the rest is gone too', async () => (await count('thread')) === 1);
  expect(await count('checkpoint')).toBe(2);
  const { rows } = await cluster.db.query<{ thread_id: string }>('select thread_id from thread');
  expect(rows).toEqual([{ thread_id: kept[0] }]);
});

test('the sweep completes an interrupted rollback, and keeps a run whose error has the same name', async () => {
  const server = await cluster.start({ env: { SLIPWAY_SWEEP_SECONDS: '2' } });
  const client = clientOf(server);
  const failed = await client.runs.create((await client.threads.create()).thread_id, 'boom', {
    input: { kind: 'rolled-back' },
  });
  await client.runs.join(failed.thread_id, failed.run_id);
  await cluster.db.query(`update run set updated_at = now() - interval '1 hour' where run_id = $1`, [
    failed.run_id,
  ]);
  const { thread_id } = await client.threads.create();
  const before = await client.runs.wait(thread_id, 'echo', { input: { text: 'before' } });
  const run = await client.runs.create(thread_id, 'sleepy', { input: { ms: 60_000 }, afterSeconds: 600 });
  // The row that a process leaves if it dies between marking and erasing the run.
  await cluster.db.query(
    `update run set status = 'interrupted', ended_at = now(), updated_at = now() - interval '1 minute',
       error = '{"error": "RolledBack", "message": "The run was rolled back"}' where run_id = $1`,
    [run.run_id],
  );
  await until('the run is gone', async () => {
    return (await fetch(`${server.url}/threads/${thread_id}/runs/${run.run_id}`)).status === 404;
  });
  const thread = await client.threads.get(thread_id);
  expect(thread.status).toBe('idle');
  expect((thread.values as { echo: string }).echo).toBe((before as { echo: string }).echo);
  expect((await client.runs.get(failed.thread_id, failed.run_id)).status).toBe('error');
});

test('the database of a deployment shows its sweeps with results and due times', async () => {
  await cluster.db.query('delete from sweep');
  await cluster.start({ env: { SLIPWAY_SWEEP_SECONDS: '7' } });
  const sweeps = async () => {
    const { rows } = await cluster.db.query<{ name: string; seconds: number; result: object }>(
      `select name, round(extract(epoch from due_at - ran_at)) as seconds, result from sweep
       where ran_at is not null order by name`,
    );
    return rows.map(({ name, seconds, result }) => [name, Number(seconds), Object.keys(result).sort()]);
  };
  const expected = [
    ['items', 300, ['items']],
    ['runs', 7, ['adopted', 'crons', 'expired', 'settled', 'webhooks']],
    ['threads', 300, ['deleted', 'pruned']],
  ];
  await until('each has run', async () => (await sweeps()).length === expected.length);
  expect(await sweeps()).toEqual(expected);
});
