import type { Queryable } from '../../src/platform/db/database.ts';
import { weekOf } from '../../src/tracing/ingest/run-time.ts';

/** As if the bodies of these had come at that time, and with no others. */
export async function moveBodies(db: Queryable, ids: string[], time: number): Promise<void> {
  const week = weekOf(new Date(time).toISOString());
  await db.query('select tracing.ensure_week($1)', [week]);
  const places = `unnest(array[inputs, outputs, extra])`;
  await db.query(
    `update tracing.body_block set week = $1
     where id in (select (${places} >> 24) & 67108863 from tracing.run where id = any($2::uuid[]))`,
    [week, ids],
  );
  const moved = (name: string) =>
    `${name} = (${name} & ((1::bigint << 50) - 1)) | ((($1::date - date '1970-01-05') / 7)::bigint << 50)`;
  await db.query(
    `update tracing.run set ${['inputs', 'outputs', 'extra'].map(moved).join(', ')} where id = any($2::uuid[])`,
    [week, ids],
  );
}
