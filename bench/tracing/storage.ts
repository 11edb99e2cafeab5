import type { Goal, Measured } from '../scenario.ts';
import { TEXT } from './corpus.ts';
import type { Part, Tracing } from './tracing-part.ts';
import { BATCH_RUNS, multipartOf } from './wire.ts';

const BATCHES = 200;
const AT_ONCE = 5;

const TEXTS = { '2k': TEXT, '10k': 10_000 };

/** Disk space of runs, including indexes, relative to the compressed size of their requests. */
export const storage: Part = {
  goals: Object.keys(TEXTS).flatMap((name): Goal[] => [
    {
      name: `storage-${name}`,
      unit: 'times',
      // Half the space of a 2 KB run is its row.
      ...(name === '10k' && { target: { atMost: 1.4 } }),
      about: 'bytes of tables and indexes divided by those of the gzipped requests',
    },
    { name: `storage-${name}-bodies`, unit: 'times', about: 'share of inputs and outputs' },
    { name: `storage-${name}-rows`, unit: 'times', about: 'share of rows, without indexes' },
  ]),
  async measure(tracing) {
    const figures: Measured['figures'] = {};
    for (const [name, text] of Object.entries(TEXTS)) {
      const before = await sizes(tracing);
      const sent = await sendAll(tracing, text);
      const after = await sizes(tracing);
      const part = (of: keyof Sizes) => ({ value: (after[of] - before[of]) / sent });
      figures[`storage-${name}`] = part('whole');
      figures[`storage-${name}-bodies`] = part('bodies');
      figures[`storage-${name}-rows`] = part('rows');
    }
    return { figures, operations: Object.keys(TEXTS).length * BATCHES * BATCH_RUNS };
  },
};

/** Returns the bytes of the requests. */
async function sendAll({ sender }: Tracing, text: number): Promise<number> {
  let sent = 0;
  for (let at = 0; at < BATCHES; at += AT_ONCE) {
    const batches = Array.from({ length: AT_ONCE }, () => multipartOf('bench-storage', text));
    await Promise.all(batches.map((batch) => sender.send(batch)));
    for (const { body } of batches) sent += body.length;
  }
  return sent;
}

interface Sizes {
  whole: number;
  bodies: number;
  rows: number;
}

async function sizes({ db }: Tracing): Promise<Sizes> {
  await db.query('vacuum tracing.run');
  const { rows } = await db.query<Sizes>(
    `select (sum(pg_total_relation_size(oid)))::bigint as whole,
      (sum(pg_total_relation_size(oid)) filter (where relname like 'body_block%'))::bigint as bodies,
      (sum(pg_relation_size(oid)) filter (where relname ~ '^run_(\\d|outside)'))::bigint as rows
     from pg_class where relnamespace = 'tracing'::regnamespace and relkind = 'r'`,
  );
  return rows[0]!;
}
