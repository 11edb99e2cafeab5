import { writeFile } from 'node:fs/promises';
import { startLocalServer } from './local-server.ts';
import { describeMachine, readVersions } from './machine.ts';
import { measure, MEMORY } from './measure.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { describeTarget, type Result } from './result.ts';
import type { Goal } from './scenario.ts';
import { SCENARIOS, selectScenarios } from './scenarios/all.ts';
import { rounded } from './statistics.ts';
import { formatTable } from './table.ts';

function projectOf({ auth, python }: Pick<Options, 'auth' | 'python'>): string {
  if (python) return 'python/langgraph.json';
  return auth ? 'guarded.json' : 'graph.json';
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (!options) return console.log(USAGE);
  if (options.list) return list();
  const scenarios = selectScenarios(options.scenarios);
  const started = performance.now();
  const machine = describeMachine();
  const versions = await readVersions();
  const local = options.url === undefined ? await startLocalServer(projectOf(options)) : undefined;
  // On Ctrl-C, also stop the server and remove its data.
  process.once('SIGINT', () => void Promise.resolve(local?.stop()).finally(() => process.exit(130)));
  try {
    const { floor, figures } = await measure(scenarios, options.url ?? local!.url, local, (measured) => {
      for (const { name, value, unit, error } of measured)
        console.error(`${name}: ${error ?? `${value} ${unit}`}`);
    });
    const seconds = rounded((performance.now() - started) / 1000);
    await report(
      { machine, node: process.version, versions, floor, seconds, scenarios: figures },
      options.out,
    );
  } finally {
    await local?.stop();
  }
}

/** Prints a table to standard error and JSON to standard output; exit code 1 if a target is missed. */
async function report(result: Result, out: string | undefined): Promise<void> {
  const json = `${JSON.stringify(result, undefined, 2)}\n`;
  console.error(`\n${formatTable(result)}`);
  process.stdout.write(json);
  if (out) await writeFile(out, json);
  if (result.scenarios.some(({ ok }) => !ok)) process.exitCode = 1;
}

function list(): void {
  const print = ({ name, about, target, unit }: Goal) =>
    console.log(`  ${name}: ${about} (${describeTarget(target) ?? 'no target, in'} ${unit})`);
  for (const { name, goals } of SCENARIOS) {
    console.log(name);
    goals.forEach(print);
  }
  console.log('always');
  print(MEMORY);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
});
