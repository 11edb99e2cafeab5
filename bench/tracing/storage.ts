import { expectEqual, type Goal, type Measured } from '../scenario.ts';
import { TEXT } from './corpus.ts';
import type { Part, Tracing } from './tracing-part.ts';
import { packRuns } from '../../src/tracing/packs/pack-runs.ts';
import { BATCH_RUNS, multipartOf } from './wire.ts';

const BATCHES = 200;
const AT_ONCE = 5;
// Of a week that is over: whose rows go with what they took.
const BEGAN_MS = 10 * 86_400_000;

const TEXTS = { '2k': TEXT, '10k': 10_000 };

/** What runs take on disk, indexes and all, over what their requests were after compression. */
export const storage: Part = {
  goals: Object.keys(TEXTS).flatMap((name): Goal[] => [
    {
      name: `storage-${name}`,
      unit: 'times',
      target: { atMost: 1.2 },
      about:
        'bytes of tables and indexes over those of the requests, compressed by gzip, when traces are packed',
    },
    { name: `storage-${name}-bodies`, unit: 'times', about: 'of that, inputs and outputs' },
    { name: `storage-${name}-fresh`, unit: 'times', about: 'the same before they are packed' },
  ]),
  async measure(tracing) {
    const figures: Measured['figures'] = {};
    for (const [name, text] of Object.entries(TEXTS)) {
      const before = await sizes(tracing);
      const sent = await sendAll(tracing, text);
      const fresh = await sizes(tracing);
      const packed = await packRuns(tracing.db, new Date());
      expectEqual(packed, BATCHES * BATCH_RUNS, 'packed runs');
      // The next turn gives back the room of the weeks.
      await packRuns(tracing.db, new Date());
      const after = await sizes(tracing);
      figures[`storage-${name}`] = { value: (after.whole - before.whole) / sent };
      figures[`storage-${name}-bodies`] = { value: (after.bodies - before.bodies) / sent };
      figures[`storage-${name}-fresh`] = { value: (fresh.whole - before.whole) / sent };
    }
    return { figures, operations: Object.keys(TEXTS).length * BATCHES * BATCH_RUNS };
  },
};

/** Returns the bytes of the requests. */
async function sendAll({ sender }: Tracing, text: number): Promise<number> {
  let sent = 0;
  for (let at = 0; at < BATCHES; at += AT_ONCE) {
    const batches = Array.from({ length: AT_ONCE }, () =>
      multipartOf('bench-storage', text, Date.now() - BEGAN_MS),
    );
    await Promise.all(batches.map((batch) => sender.send(batch)));
    for (const { body } of batches) sent += body.length;
  }
  return sent;
}

interface Sizes {
  whole: number;
  bodies: number;
}

async function sizes({ db }: Tracing): Promise<Sizes> {
  await db.query('vacuum tracing.run');
  const { rows } = await db.query<Sizes>(
    `select (sum(pg_total_relation_size(oid)))::bigint as whole,
      (sum(pg_total_relation_size(oid)) filter (where relname like 'body_block%'))::bigint as bodies
     from pg_class where relnamespace = 'tracing'::regnamespace and relkind = 'r'`,
  );
  return rows[0]!;
}
