import type { Floor } from './floor.ts';
import { type LocalServer, startLocal } from './local-server.ts';
import { endAgents, findAgents } from './platform/agents.ts';
import { describeMachine, readVersions } from './machine.ts';
import { ProcessUsage } from './process-usage.ts';
import { failedFigures, type Figure, figuresOf } from './result.ts';
import type { Goal, Measured } from './scenario.ts';
import { rounded } from './statistics.ts';
import { formatTable } from './table.ts';

/** Figures that are measured together, on an `Of`. */
export interface Part<Of> {
  goals: Goal[];
  /** Setup that is not measured. */
  prepare?(of: Of): Promise<unknown>;
  /** Measures every goal, by name. Throws on any wrong response. */
  measure(of: Of): Promise<Measured>;
}

interface Bench<Of> {
  parts: Record<string, Part<Of>>;
  /** Settings of the platform, apart from its key. */
  settings: Record<string, string>;
  /** Prepares the parts' argument from a platform that has just started. */
  open(platform: LocalServer, key: string): Promise<Of>;
  close?(of: Of): Promise<unknown>;
}

const KEY = 'the-key-of-the-benchmark';
// Parts have their own floors.
const NO_FLOOR = {} as Floor;

/**
 * Starts a platform and measures the parts named on the command line, or all. Prints a table to standard error and JSON
 * to standard output. Exit code 1 if a target is missed, 2 if nothing could be measured.
 */
export const benchPlatform = <Of>(bench: Bench<Of>): Promise<void> =>
  run(bench).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  });

async function run<Of>(bench: Bench<Of>): Promise<void> {
  const parts = askedOf(bench.parts);
  const started = performance.now();
  const machine = describeMachine();
  const versions = await readVersions();
  const platform = await startLocal(['platform'], /platform ready at (http[^\s"]+)/, {
    SLIPWAY_API_KEY: KEY,
    ...bench.settings,
  });
  const stop = async () => {
    const agents = await findAgents(platform.dataDir).catch(() => []);
    await platform.stop();
    endAgents(agents);
  };
  process.once('SIGINT', () => void stop().finally(() => process.exit(130)));
  const scenarios = await measureParts(bench, parts, platform).finally(stop);
  const seconds = rounded((performance.now() - started) / 1000);
  const result = { machine, node: process.version, versions, seconds, scenarios };
  console.error(`\n${formatTable({ ...result, floor: {} })}`);
  process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
  if (scenarios.some(({ ok }) => !ok)) process.exitCode = 1;
}

function askedOf<Of>(parts: Record<string, Part<Of>>): Part<Of>[] {
  const asked = process.argv.slice(2);
  const unknown = asked.find((name) => !(name in parts));
  if (unknown) throw new Error(`There is no part ${unknown}: ${Object.keys(parts).join(', ')}`);
  return Object.entries(parts).flatMap(([name, part]) =>
    asked.length === 0 || asked.includes(name) ? [part] : [],
  );
}

async function measureParts<Of>(
  { open, close }: Bench<Of>,
  parts: Part<Of>[],
  platform: LocalServer,
): Promise<Figure[]> {
  const of = await open(platform, KEY);
  const usage = new ProcessUsage(platform.pid);
  const scenarios: Figure[] = [];
  try {
    for (const { goals, prepare, measure } of parts) {
      await prepare?.(of);
      const end = await usage.start();
      const figures = await measure(of).then(
        async (measured) => figuresOf(goals, measured, NO_FLOOR, await end()),
        (error: unknown) => failedFigures(goals, error),
      );
      for (const { name, value, unit, error } of figures)
        console.error(`${name}: ${error ?? `${value} ${unit}`}`);
      scenarios.push(...figures);
    }
  } finally {
    usage.stop();
    await close?.(of);
  }
  return scenarios;
}
