import { parseArgs } from 'node:util';
import { AgentApi } from '../agent-api.ts';
import { startLocalServer } from '../local-server.ts';
import { describeMachine } from '../machine.ts';
import { ProcessUsage } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { selectScenarios } from '../scenarios/all.ts';
import { type Comparison, compare, formatComparisons } from './comparison.ts';
import type { Peer, Rounds } from './peer.ts';
import { startReference } from './reference.ts';

const USAGE = `npm run bench:peers -- [options]
  --scenario a,b       scenarios of npm run bench (default: those that both servers support)
  --reference <x.y.z>  version of @langchain/langgraph-cli (default: 1.5.1)
  --rounds <n>         rounds, in which the servers alternate (default: 3)`;
const SCENARIOS =
  'wait-fresh,wait-warm,first-event,enqueued,stream,streams-10,run-200-to-1,search,warm-together,fresh-together,background';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      scenario: { type: 'string', default: SCENARIOS },
      reference: { type: 'string', default: '1.5.1' },
      rounds: { type: 'string', default: '3' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return console.log(USAGE);
  const scenarios = selectScenarios(values.scenario.split(','));
  const machine = describeMachine();
  const peers: Peer[] = [];
  try {
    peers.push({ ...(await startLocalServer('graph.json')), name: 'Slipway' });
    peers.push(await startReference(values.reference));
    const comparisons: Comparison[] = [];
    for (const scenario of scenarios)
      comparisons.push(...compare(scenario, await alternate(scenario, peers, Number(values.rounds))));
    console.error(formatComparisons(peers, comparisons));
    process.stdout.write(
      `${JSON.stringify({ machine, node: process.version, comparisons }, undefined, 2)}\n`,
    );
  } finally {
    for (const { stop } of peers) await stop();
  }
}

async function alternate(scenario: Scenario, peers: Peer[], rounds: number): Promise<Rounds> {
  const results: Rounds = peers.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, peer] of peers.entries()) {
      const result = await measure(scenario, peer);
      results[index]!.push(result);
      const figures = result instanceof Error ? result.message : JSON.stringify(result.figures, valueOnly);
      console.error(`${scenario.name}, ${peer.name}: ${figures}`);
    }
  return results;
}

const valueOnly = (key: string, value: unknown): unknown => (key === 'samples' ? undefined : value);

async function measure(scenario: Scenario, { url, pid }: Peer): Promise<Rounds[number][number]> {
  const api = new AgentApi(url);
  const usage = new ProcessUsage(pid);
  try {
    const end = await usage.start();
    const measured = await scenario.measure(api);
    const { server, temporal, postgres } = (await end()).cpu;
    return { ...measured, cpuMs: server + temporal + postgres };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    usage.stop();
    api.close();
  }
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
});
