import { gunzipSync } from 'node:zlib';
import type { Database } from '../../src/platform/db/database.ts';
import { timeTogether } from '../pacing.ts';
import { type Batch, BATCH_RUNS } from './wire.ts';

/**
 * Runs per second that this process can store: it decompresses the same requests, parses all their JSON, and inserts a
 * row with a key and the text for each run, durably, over two connections.
 */
export async function measureFloor(db: Database, batches: Batch[]): Promise<number> {
  await db.query('create table public.bench_floor (id bigserial primary key, body text not null)');
  try {
    const seconds = await timeTogether(2, batches.length, async (index) => {
      const rows = rowsOf(batches[index]!);
      await db.query('insert into public.bench_floor (body) select unnest($1::text[])', [rows]);
    });
    return (batches.length * BATCH_RUNS) / seconds;
  } finally {
    await db.query('drop table public.bench_floor');
  }
}

/** Splits a request's content into one text per run. */
function rowsOf({ body, headers }: Batch): string[] {
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body)
    .toString('utf8')
    .replaceAll('\0', '');
  for (const [json] of text.matchAll(/^[[{].*[\]}]\r?$/gm)) JSON.parse(json);
  const size = Math.ceil(text.length / BATCH_RUNS);
  return Array.from({ length: BATCH_RUNS }, (_, at) => text.slice(at * size, (at + 1) * size));
}
