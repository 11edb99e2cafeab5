import { AgentApi } from './agent-api.ts';
import { type Floor, measureFloor } from './floor.ts';
import { embeddedDatabaseUrl, type LocalServer } from './local-server.ts';
import { ProcessUsage } from './process-usage.ts';
import { failedFigures, type Figure, figureOf, figuresOf } from './result.ts';
import type { Goal, Scenario } from './scenario.ts';
import { rounded } from './statistics.ts';

export const MEMORY: Goal = {
  name: 'memory',
  unit: 'MB',
  target: { atMost: 350 },
  about: 'peak memory of the server process over all scenarios',
};

export interface Measurements {
  floor: Floor;
  figures: Figure[];
}

/** Runs the scenarios in sequence against a server, and reports each as it ends. */
export async function measure(
  scenarios: Scenario[],
  url: string,
  local: LocalServer | undefined,
  onMeasured: (figures: Figure[]) => void,
): Promise<Measurements> {
  const floor = await measureFloor(local && (await embeddedDatabaseUrl(local.dataDir)));
  const usage = local && new ProcessUsage(local.pid);
  const api = new AgentApi(url);
  const figures: Figure[] = [];
  for (const scenario of scenarios) {
    const measured = await measureOne(scenario, api, floor, usage);
    onMeasured(measured);
    figures.push(...measured);
  }
  usage?.stop();
  api.close();
  const memory = Math.max(0, ...figures.map(({ rss_mb = 0 }) => rss_mb));
  if (memory > 0) figures.push(figureOf(MEMORY, memory));
  return { floor: roundedFloor(floor), figures };
}

async function measureOne(
  { goals, measure }: Scenario,
  api: AgentApi,
  floor: Floor,
  usage: ProcessUsage | undefined,
): Promise<Figure[]> {
  const end = await usage?.start();
  try {
    const measured = await measure(api);
    return figuresOf(goals, measured, floor, await end?.());
  } catch (error) {
    return failedFigures(goals, error);
  }
}

const roundedFloor = (floor: Floor): Floor =>
  Object.fromEntries(
    Object.entries(floor).map(([name, value]) => [name, value && rounded(value)]),
  ) as unknown as Floor;
