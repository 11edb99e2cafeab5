import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { type AgentServer, startAgentServer } from '../support/agent-server.ts';
import { emptyTemporal } from '../support/empty-temporal.ts';
import { ownPorts } from '../support/own-ports.ts';
import { SWEEP_OFTEN, usePlatform } from '../support/platform.ts';
import { type Services, startServices } from '../support/services.ts';
import { until } from '../support/until.ts';
import { openPatiently } from '../support/use-database.ts';
import { clientOf } from './cluster.ts';

const PATIENCE_MS = 180_000;
let services: Services;
const platform = usePlatform({
  services: async () => (services = await startServices()),
  settings: SWEEP_OFTEN,
});
let dataDir: string;
let server: AgentServer;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-emptied-'));
  await ownPorts(dataDir);
  server = await startAgentServer({ env: { SLIPWAY_DATA_DIR: dataDir, SLIPWAY_SWEEP_SECONDS: '1' } });
});
afterAll(async () => {
  await server.end();
  await rm(dataDir, { recursive: true, force: true });
});

test('crons, delayed runs and new runs continue after Temporal lost its store', async () => {
  const client = clientOf(server);
  const { thread_id } = await client.threads.create();
  const delayed = await client.runs.create(thread_id, 'echo', { input: { text: 'late' }, afterSeconds: 20 });
  const { cron_id } = await client.crons.create('echo', {
    schedule: '* * * * *',
    input: { text: 'each minute' },
    onRunCompleted: 'keep',
  });
  await emptyTemporal(dataDir);
  const emptied = Date.now();
  await until(
    'the delayed run is done',
    async () => {
      const found = await client.runs.get(thread_id, delayed.run_id).catch(() => undefined);
      return found?.status === 'success';
    },
    PATIENCE_MS,
  );
  await until(
    'the cron fires',
    async () => {
      const found = await client.threads.search({ metadata: { cron_id }, limit: 100 }).catch(() => []);
      return found.some(({ created_at }) => Date.parse(created_at) > emptied);
    },
    PATIENCE_MS,
  );
  const other = await client.threads.create();
  expect(await client.runs.wait(other.thread_id, 'echo', { input: { text: 'on' } })).toMatchObject({
    echo: 'on',
  });
});

test('the platform keeps sweeping after Temporal lost its store, without starting workflows', async () => {
  await platform.start('platform');
  const db = openPatiently({ url: platform.env['DATABASE_URL']!, poolSize: 1 });
  const swept = async () =>
    (await db.query<{ name: string; ran_at: string }>('select name, ran_at from control_plane.sweep')).rows;
  const names = ['builds', 'orphans', 'records', 'revisions', 'run-minutes', 'scale', 'traces', 'usage'];
  try {
    await until(
      'all have run',
      async () => (await swept()).filter(({ ran_at }) => ran_at).length === names.length,
    );
    expect((await swept()).map(({ name }) => name).sort()).toEqual(names);
    await services.emptyTemporal();
    const emptied = Date.now();
    const often = new Set(['orphans', 'revisions', 'scale']);
    await until('they run again', async () =>
      (await swept()).every(({ name, ran_at }) => !often.has(name) || Date.parse(ran_at) > emptied),
    );
    const connection = await Connection.connect({ address: platform.env['TEMPORAL_ADDRESS']! });
    const { count } = await new TemporalClient({ connection }).workflow.count();
    await connection.close();
    expect(count).toBe(0);
  } finally {
    await db.end();
  }
});

test('lost search attributes are registered again, and runs start', async () => {
  const address = platform.env['TEMPORAL_ADDRESS']!;
  const agent = await startAgentServer({
    databaseUrl: platform.env['DATABASE_URL']!,
    env: { TEMPORAL_ADDRESS: address },
  });
  const connection = await Connection.connect({ address });
  const { operatorService } = connection;
  const isKnown = async () => {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace: 'default' });
    return 'SlipwayGraph' in customAttributes;
  };
  try {
    expect(await isKnown()).toBe(true);
    await operatorService.removeSearchAttributes({
      namespace: 'default',
      searchAttributes: ['SlipwayGraph'],
    });
    await until('it is gone', async () => !(await isKnown()));
    await until('it is registered again', isKnown);
    const client = clientOf(agent);
    const { thread_id } = await client.threads.create();
    expect(await client.runs.wait(thread_id, 'echo', { input: { text: 'on' } })).toMatchObject({
      echo: 'on',
    });
  } finally {
    await connection.close();
    await agent.end();
  }
});
