import { rounds, timeTogether } from '../pacing.ts';
import { expectEqual, type Goal } from '../scenario.ts';
import { median, percentile } from '../statistics.ts';
import { measureFloor } from './floor.ts';
import { sendAtRate } from './load.ts';
import type { Part, Tracing } from './tracing-part.ts';
import { type Batch, BATCH_RUNS, multipartOf, otlpOf } from './wire.ts';

const ROUNDS = 3;
const BATCHES = Number(process.env['BENCH_BATCHES'] ?? 150);
// Requests an SDK has in flight.
const AT_ONCE = 5;

const goalsOf = (name: string, wire: string, rate: number): Goal[] => [
  {
    name,
    unit: 'runs/s',
    target: { atLeast: rate },
    about: `${wire}, ${AT_ONCE} concurrent requests: median of ${ROUNDS}`,
  },
  {
    name: `${name}-p95`,
    unit: 'ms',
    target: { atMost: 150 },
    about: `a request of ${BATCH_RUNS} runs at a constant ${rate} runs per second: 95th percentile`,
  },
  {
    name: `${name}-to-floor`,
    unit: 'times',
    about: 'rate of parsing the same bytes and inserting them into a plain table, divided by that',
  },
];

const part = (name: string, wire: string, rate: number, batchOf: (session: string) => Batch): Part => ({
  goals: goalsOf(name, wire, rate),
  async measure(tracing) {
    const { sender } = tracing;
    const batches = (count: number) => Array.from({ length: count }, () => batchOf(`bench-${name}`));
    for (const batch of batches(20)) await sender.send(batch);
    const before = await countRuns(tracing);
    const rates = await rounds(ROUNDS, async () => {
      const made = batches(BATCHES);
      const seconds = await timeTogether(AT_ONCE, BATCHES, (index) => sender.send(made[index]!));
      return (BATCHES * BATCH_RUNS) / seconds;
    });
    const samples = await sendAtRate(sender, batches(BATCHES), (1000 * BATCH_RUNS) / rate);
    const operations = (ROUNDS + 1) * BATCHES * BATCH_RUNS;
    expectEqual((await countRuns(tracing)) - before, operations, 'runs stored');
    const floor = await measureFloor(tracing.db, batches(BATCHES));
    return {
      figures: {
        [name]: { value: median(rates), samples: rates },
        [`${name}-p95`]: { value: percentile(samples, 95), samples },
        [`${name}-to-floor`]: { value: median(rates) / floor },
      },
      operations,
    };
  },
});

async function countRuns({ db }: Tracing): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*) from tracing.run');
  return rows[0]!.count;
}

export const ingest = part('ingest', '/runs/multipart by gzip', 2_500, multipartOf);
export const otlp = part('otlp', '/otel/v1/traces in protobuf', 1_500, otlpOf);
