import type { Part, Tracing } from './tracing-part.ts';
import { multipartOf } from './wire.ts';

const BATCHES = 200;
const AT_ONCE = 5;

/** What runs take on disk, indexes and all, over what their requests were after compression. */
export const storage: Part = {
  goals: [
    {
      name: 'storage',
      unit: 'times',
      target: { atMost: 1.2 },
      about: 'bytes of tables and indexes over those of the requests, compressed by gzip',
    },
    { name: 'storage-bodies', unit: 'times', about: 'of that, inputs and outputs' },
    { name: 'storage-rows', unit: 'times', about: 'of that, rows without indexes' },
  ],
  async measure(tracing) {
    const before = await sizes(tracing);
    let sent = 0;
    let runs = 0;
    for (let at = 0; at < BATCHES; at += AT_ONCE) {
      const batches = Array.from({ length: AT_ONCE }, () => multipartOf('bench-storage'));
      await Promise.all(batches.map((batch) => tracing.sender.send(batch)));
      for (const batch of batches) {
        sent += batch.body.length;
        runs += batch.runs.length;
      }
    }
    const after = await sizes(tracing);
    const part = (name: keyof Sizes) => ({ value: (after[name] - before[name]) / sent });
    return {
      figures: { storage: part('whole'), 'storage-bodies': part('bodies'), 'storage-rows': part('rows') },
      operations: runs,
    };
  },
};

interface Sizes {
  whole: number;
  bodies: number;
  rows: number;
}

async function sizes({ db }: Tracing): Promise<Sizes> {
  await db.query('vacuum tracing.run');
  const { rows } = await db.query<Sizes>(
    `select sum(pg_total_relation_size(oid))::bigint as whole,
      (sum(pg_total_relation_size(oid)) filter (where relname like 'body_block%'))::bigint as bodies,
      (sum(pg_relation_size(oid)) filter (where relname ~ '^run_(\\d|outside)'))::bigint as rows
     from pg_class where relnamespace = 'tracing'::regnamespace and relkind = 'r'`,
  );
  return rows[0]!;
}
