import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { readInPortions } from '../../src/tracing/bodies/block-reader.ts';
import { BLOCK_BYTES, BlockWriter } from '../../src/tracing/bodies/block-writer.ts';
import { weekOf } from '../../src/tracing/runs/run-time.ts';
import { showRuns } from '../../src/tracing/query/read-page.ts';
import type { RunRow } from '../../src/tracing/runs/run-row.ts';
import { collect } from '../support/collect.ts';
import { createDatabase, openPatiently } from '../support/use-database.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let db: Database;
const tenant = randomUUID();
const START = '2026-01-01T00:00:00.000000Z';
const large = (n: number) => Buffer.from(JSON.stringify({ n, text: 'a'.repeat(BLOCK_BYTES) }));
// Each has its own block. The first is deleted, and the size of the fifth is unknown.
let places: string[];

beforeAll(async () => {
  database = await createDatabase();
  db = openPatiently({ url: database.url, poolSize: 2 });
  await migrate(db, 'tracing', new URL('migrations/tracing/', packageRoot));
  const ids = Array.from({ length: 40 }, (_, n) => n);
  const writer = new BlockWriter(tenant, weekOf(new Date().toISOString()), ids.toReversed());
  places = ids.map((n) =>
    writer.add({ project_id: randomUUID(), start_time: START, isSearched: n > 0 }, large(n)),
  );
  const written = await writer.statement();
  await db.query(written!.text, written!.values);
  await db.query('delete from tracing.body_block where id = 0');
  await db.query('update tracing.body_block set size = null where id = 4');
});
afterAll(async () => {
  await db.end();
  await database.drop();
});

test('reads bodies in portions that fit the limit', async () => {
  const rows = [places.slice(0, 1), places.slice(1, 3), [], places.slice(3, 4), places.slice(4, 6)];
  const read = (maxBytes: number) => collect(readInPortions(db, tenant, rows, (row) => row, { maxBytes }));
  const turns = await read(BLOCK_BYTES + 100_000);
  expect(turns.map((turn) => turn.rows)).toEqual([rows.slice(0, 3), rows.slice(3, 4), rows.slice(4)]);
  expect(turns.map(({ bodies }) => [...bodies.keys()])).toEqual([
    places.slice(1, 3),
    places.slice(3, 5),
    places.slice(4, 6),
  ]);
  expect(turns[0]!.bodies.get(places[2]!)!.equals(large(2))).toBe(true);
  // A row is never split.
  expect((await read(1)).map((turn) => turn.bodies.size)).toEqual([1, 2, 1, 2]);
});

test('ends a page at its byte limit', async () => {
  const runs = places.map((inputs) => ({ id: randomUUID(), dotted_order: '', inputs }) as RunRow);
  const asked = {
    bodies: ['inputs' as const],
    totals: false,
    feedback: false,
    shares: false,
    childIds: false,
  };
  const show = async (bytes: number) => {
    const shown: string[] = [];
    const config = { SLIPWAY_TRACE_PAGE_BYTES: bytes };
    const count = await showRuns({ db, config }, tenant, runs, asked, ({ id }) => shown.push(id));
    expect(shown).toEqual(runs.slice(0, count).map(({ id }) => id));
    return count;
  };
  expect(await show(100 * BLOCK_BYTES)).toBe(40);
  // The number of rows read at once.
  expect(await show(1)).toBe(33);
});
