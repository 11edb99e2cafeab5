import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { ask, usePlatform } from '../support/platform.ts';
import { until } from '../support/until.ts';

const RUNS = 1_700;
const HELD = 4_711;

const platform = usePlatform();

test('kill -9 of the worker that writes an export: another continues, and every run is in it once', async () => {
  const [api, worker] = await Promise.all([platform.start('api'), platform.start('worker')]);
  const start = Date.now() - 3_600_000;
  const runs = Array.from({ length: RUNS }, (_, index) => ({
    id: randomUUID(),
    name: 'exported',
    session_name: 'exported',
    start_time: start + index,
    end_time: start + index + 1,
    inputs: { index },
  }));
  for (let at = 0; at < RUNS; at += 100)
    expect((await ask(api.url, 'POST', '/runs/batch', { post: runs.slice(at, at + 100) })).status).toBe(202);
  const { json: projects } = await ask(api.url, 'GET', '/sessions?name=exported');

  // The third part is held while it is written.
  await platform.db.query(`create function public.hold() returns trigger language plpgsql as
    $$ begin if new.number >= 2 then perform pg_advisory_xact_lock(${HELD}); end if; return new; end $$`);
  await platform.db.query(
    'create trigger held before insert on tracing.bulk_export_part for each row execute function public.hold()',
  );
  const holder = await platform.db.connect();
  await holder.query(`select pg_advisory_lock(${HELD})`);
  const created = await ask(api.url, 'POST', '/bulk-exports', { session_id: projects[0].id });
  const path = `/bulk-exports/${created.json.id}`;
  await until('the third part is held', async () => {
    const { rows } = await platform.db.query(
      `select from pg_locks where locktype = 'advisory' and objid = ${HELD} and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.length === 1;
  });
  await worker.end('SIGKILL');
  const { rows } = await platform.db.query<{ parts: number }>('select parts from tracing.bulk_export');
  expect(rows).toEqual([{ parts: 2 }]);
  await holder.query(`select pg_advisory_unlock(${HELD})`);
  holder.release();

  await platform.start('worker');
  await until('it is whole', async () => (await ask(api.url, 'GET', path)).json.status === 'Completed');
  const { json } = await ask(api.url, 'GET', path);
  expect(json).toMatchObject({ runs: RUNS });
  const answer = await fetch(json.download_url.replace(/^https?:\/\/[^/]+/, api.url));
  const lines = gunzipSync(Buffer.from(await answer.arrayBuffer()))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; inputs: object });
  expect(lines.map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
  expect(lines[1_234]!.inputs).toEqual({ index: 1_234 });
});
