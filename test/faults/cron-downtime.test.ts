import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Client } from '@langchain/langgraph-sdk';
import { type AgentServer, startAgentServer } from '../support/agent-server.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
const servers: AgentServer[] = [];
let dataDir: string | undefined;

afterAll(async () => {
  await Promise.all(servers.map((server) => server.end('SIGTERM')));
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
});

/** A server with its own Postgres and Temporal: killing it takes everything down. */
async function start(): Promise<{ server: AgentServer; client: Client }> {
  dataDir ??= await mkdtemp(join(tmpdir(), 'slipway-fault-'));
  const server = await startAgentServer({
    deployment: 'downtime',
    env: { SLIPWAY_DATA_DIR: dataDir, DATABASE_URL: '', TEMPORAL_ADDRESS: '' },
  });
  servers.push(server);
  return { server, client: new Client({ apiUrl: server.url }) };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until enough of the minute is left to create a cron and kill the server. */
async function early(): Promise<void> {
  const into = Date.now() % MINUTE;
  if (into > 50_000) await pause(MINUTE - into + 1_000);
}

test('all firings missed during an outage become one run', async () => {
  const { server, client } = await start();
  await early();
  const cron = await client.crons.create('echo', {
    schedule: '* * * * *',
    input: { text: 'tick' },
    onRunCompleted: 'keep',
  });
  const missed = Date.parse(cron.next_run_date);
  await server.end('SIGKILL');
  await pause(missed + MINUTE + 5_000 - Date.now());

  const { client: again } = await start();
  const made = async () => {
    const threads = await again.threads.search({ metadata: { cron_id: cron.cron_id }, limit: 100 });
    return threads.map(({ created_at }) => Date.parse(created_at)).sort((a, b) => a - b);
  };
  await until('the run for the missed times exists', async () => (await made()).length > 0);
  // Only that run exists until the next scheduled time, then one more.
  const next = (Math.floor((await made())[0]! / MINUTE) + 1) * MINUTE;
  const nextRuns = async () => (await made()).filter((at) => at >= next && at < next + MINUTE);
  await until('the next run exists', async () => (await nextRuns()).length > 0, 180_000);
  await pause(3_000);
  expect((await made()).filter((at) => at < next)).toHaveLength(1);
  expect(await nextRuns()).toHaveLength(1);
  expect(await again.crons.count()).toBe(1);
}, 600_000);
