import { PlatformApi } from '../../src/deploy-client/platform-api.ts';
import { startLocal } from '../local-server.ts';
import { describeMachine, readVersions } from '../machine.ts';
import { type Figure, failedFigures, figureOf } from '../result.ts';
import { rounded } from '../statistics.ts';
import { formatTable } from '../table.ts';
import { endAgents, findAgents } from './agents.ts';
import { GOALS, measureGateway, measureList, measureRollouts, measureWake, type Values } from './figures.ts';

const KEY = 'the-key-of-the-benchmark';

const PARTS = {
  list: { goals: ['list'], measure: measureList },
  rollouts: { goals: ['deploy', 'cutOver', 'rollback'], measure: measureRollouts },
  gateway: { goals: ['overhead', 'throughput'], measure: measureGateway },
  wake: { goals: ['wake'], measure: measureWake },
} as const;

/** `npm run bench:platform -- [part…]`: a table on standard error, one JSON document on standard output. */
async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !(name in PARTS));
  if (unknown) throw new Error(`There is no part ${unknown}: ${Object.keys(PARTS).join(', ')}`);
  const started = performance.now();
  const machine = describeMachine();
  const versions = await readVersions();
  const platform = await startLocal(['platform'], /platform ready at (http[^\s"]+)/, {
    SLIPWAY_API_KEY: KEY,
    SLIPWAY_SCALE_SECONDS: '1',
    SLIPWAY_SLEEP_SECONDS: '3',
    SLIPWAY_DRAIN_SECONDS: '5',
    SLIPWAY_ANSWER_SECONDS: '0',
    // What a part that failed has begun is not waited for.
    SLIPWAY_GRACE_SECONDS: '2',
  });
  const stop = async () => {
    const agents = await findAgents(platform.dataDir).catch(() => []);
    await platform.stop();
    endAgents(agents);
  };
  process.once('SIGINT', () => void stop().finally(() => process.exit(130)));
  const scenarios: Figure[] = [];
  try {
    const api = new PlatformApi({ url: platform.url, key: KEY });
    for (const [name, { goals, measure }] of Object.entries(PARTS)) {
      if (asked.length > 0 && !asked.includes(name)) continue;
      const wanted = goals.map((goal) => GOALS[goal]);
      const figures = await measure({ api, dataDir: platform.dataDir }).then(
        (values: Values) => goals.map((goal) => figureOf(GOALS[goal], values[goal]!)),
        (error: unknown) => failedFigures(wanted, error),
      );
      for (const { name, value, unit, error } of figures)
        console.error(`${name}: ${error ?? `${value} ${unit}`}`);
      scenarios.push(...figures);
    }
  } finally {
    await stop();
  }
  const seconds = rounded((performance.now() - started) / 1000);
  const result = { machine, node: process.version, versions, seconds, scenarios };
  console.error(`\n${formatTable({ ...result, floor: {} })}`);
  process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
  if (scenarios.some(({ ok }) => !ok)) process.exitCode = 1;
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
});
