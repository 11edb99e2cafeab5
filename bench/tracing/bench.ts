import { openDatabase } from '../../src/platform/db/database.ts';
import { embeddedDatabaseUrl, startLocal } from '../local-server.ts';
import { describeMachine, readVersions } from '../machine.ts';
import { ProcessUsage } from '../process-usage.ts';
import { failedFigures, type Figure, figuresOf } from '../result.ts';
import { rounded } from '../statistics.ts';
import { formatTable } from '../table.ts';
import type { Floor } from '../floor.ts';
import { ingest, otlp } from './ingest.ts';
import { Sender } from './load.ts';
import { query, stats, trace } from './reading.ts';
import { storage } from './storage.ts';
import type { Part } from './tracing-part.ts';

const KEY = 'the-key-of-the-benchmark';
const PARTS: Record<string, Part> = { storage, ingest, otlp, query, trace, stats };

/** `npm run bench:tracing -- [part…]`: a table on standard error, one JSON document on standard output. */
async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !(name in PARTS));
  if (unknown) throw new Error(`There is no part ${unknown}: ${Object.keys(PARTS).join(', ')}`);
  const started = performance.now();
  const machine = describeMachine();
  const versions = await readVersions();
  const platform = await startLocal(['platform'], /platform ready at (http[^\s"]+)/, {
    SLIPWAY_API_KEY: KEY,
    // Nothing that was just measured is counted while the next is.
    SLIPWAY_TRACE_FOLD_SECONDS: '3600',
  });
  process.once('SIGINT', () => void platform.stop().finally(() => process.exit(130)));
  const sender = new Sender(platform.url, KEY);
  const db = openDatabase({ url: await embeddedDatabaseUrl(platform.dataDir), poolSize: 2 });
  const usage = new ProcessUsage(platform.pid);
  const scenarios: Figure[] = [];
  try {
    for (const [name, { goals, prepare, measure }] of Object.entries(PARTS)) {
      if (asked.length > 0 && !asked.includes(name)) continue;
      await prepare?.({ sender, db });
      const end = await usage.start();
      const figures = await measure({ sender, db }).then(
        async (measured) => figuresOf(goals, measured, NO_FLOOR, await end()),
        (error: unknown) => failedFigures(goals, error),
      );
      for (const { name, value, unit, error } of figures)
        console.error(`${name}: ${error ?? `${value} ${unit}`}`);
      scenarios.push(...figures);
    }
  } finally {
    usage.stop();
    await Promise.all([sender.close(), db.end()]);
    await platform.stop();
  }
  const seconds = rounded((performance.now() - started) / 1000);
  const result = { machine, node: process.version, versions, seconds, scenarios };
  console.error(`\n${formatTable({ ...result, floor: {} })}`);
  process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
  if (scenarios.some(({ ok }) => !ok)) process.exitCode = 1;
}

// These figures bring their own.
const NO_FLOOR = {} as Floor;

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
});
