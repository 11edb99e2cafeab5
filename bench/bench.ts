import { writeFile } from 'node:fs/promises';
import { AgentApi } from './agent-api.ts';
import { type Floor, measureFloor } from './floor.ts';
import { embeddedDatabaseUrl, type LocalServer, startLocalServer } from './local-server.ts';
import { describeMachine, readVersions } from './machine.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { type CpuTimes, ProcessUsage } from './process-usage.ts';
import { describeTarget, failedFigures, type Figure, figuresOf, meets, type Result } from './result.ts';
import type { Goal, Scenario } from './scenario.ts';
import { SCENARIOS, selectScenarios } from './scenarios/all.ts';
import { rounded } from './statistics.ts';
import { formatTable } from './table.ts';

const MEMORY: Goal = {
  name: 'memory',
  unit: 'MB',
  target: { atMost: 350 },
  about: 'most memory of the server process',
};

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (!options) return console.log(USAGE);
  if (options.list) return list();
  const scenarios = selectScenarios(options.scenarios);
  const started = performance.now();
  const machine = describeMachine();
  const local = options.url === undefined ? await startLocalServer() : undefined;
  // Ctrl-C ends the server, too, and takes its data away.
  process.once('SIGINT', () => void local?.stop().then(() => process.exit(130)));
  try {
    const { floor, figures } = await measure(scenarios, options.url ?? local!.url, local);
    const result: Result = {
      machine,
      node: process.version,
      versions: await readVersions(),
      floor,
      seconds: rounded((performance.now() - started) / 1000),
      scenarios: figures,
    };
    await report(result, options);
  } finally {
    await local?.stop();
  }
}

async function measure(scenarios: Scenario[], url: string, local: LocalServer | undefined) {
  const usage = local && new ProcessUsage(local.pid);
  usage?.watch();
  const measured = await measureFloor(local && (await embeddedDatabaseUrl(local.dataDir)));
  const api = new AgentApi(url);
  const figures: Figure[] = [];
  for (const scenario of scenarios) {
    const before = await usage?.cpuTimes();
    try {
      const done = await scenario.measure(api);
      const after = await usage?.cpuTimes();
      const cpu = before && after && subtract(after, before);
      figures.push(...figuresOf(scenario.goals, done, cpu, measured));
    } catch (error) {
      figures.push(...failedFigures(scenario.goals, error));
    }
    console.error(
      figures
        .slice(-scenario.goals.length)
        .map(({ name, value, unit }) => `${name}: ${value} ${unit}`)
        .join('\n'),
    );
  }
  usage?.stop();
  api.close();
  if (usage) figures.push(memoryFigure(usage.highestRss));
  const floor = Object.fromEntries(
    Object.entries(measured).map(([name, value]) => [name, value && rounded(value)]),
  );
  return { floor: floor as unknown as Floor, figures };
}

const subtract = (after: CpuTimes, before: CpuTimes): CpuTimes => ({
  server: after.server - before.server,
  temporal: after.temporal - before.temporal,
  postgres: after.postgres - before.postgres,
  client: after.client - before.client,
});

function memoryFigure(megabytes: number): Figure {
  const { name, unit, target } = MEMORY;
  const value = rounded(megabytes);
  const target_ = describeTarget(target);
  return {
    name,
    unit,
    value,
    p50: null,
    p95: null,
    ratio_to_floor: null,
    target: target_,
    ok: meets(value, target),
  };
}

async function report(result: Result, { out }: Options): Promise<void> {
  const json = `${JSON.stringify(result, undefined, 2)}\n`;
  console.error(`\n${formatTable(result)}`);
  process.stdout.write(json);
  if (out) await writeFile(out, json);
  if (result.scenarios.some(({ ok }) => !ok)) process.exitCode = 1;
}

function list(): void {
  for (const { name, goals } of SCENARIOS) {
    console.log(name);
    for (const goal of goals)
      console.log(
        `  ${goal.name}: ${goal.about} (${describeTarget(goal.target) ?? 'no target'} ${goal.unit})`,
      );
  }
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
});
