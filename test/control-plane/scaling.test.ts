import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Client as AgentClient } from '@langchain/langgraph-sdk';
import pg from 'pg';
import { setDeploymentStatus } from '../../src/control-plane/records/deployment-repository.ts';
import { findAgentDatabase } from '../../src/control-plane/drivers/agent-database.ts';
import { type InstanceRow, listInstances } from '../../src/control-plane/drivers/instance-repository.ts';
import { ProcessDriver } from '../../src/control-plane/drivers/process/process-driver.ts';
import { Supervisor } from '../../src/control-plane/drivers/supervisor.ts';
import { insertApiKey, newApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import { AgentAccess } from '../../src/control-plane/gateway/agent-access.ts';
import { Gateway } from '../../src/control-plane/gateway/gateway.ts';
import { RoutingTable } from '../../src/control-plane/gateway/routing-table.ts';
import { RevisionWork } from '../../activities/deployments/revision-work.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { Demand } from '../../src/control-plane/scaling/demand.ts';
import { sweepScale } from '../../src/control-plane/scaling/scale-sweep.ts';
import { Scaler } from '../../src/control-plane/drivers/scaler.ts';
import { connectionConfig } from '../../src/platform/db/database.ts';
import { Notifications } from '../../src/platform/db/notifications.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import {
  graph,
  GREETER,
  insertDeployable,
  placeArtifact,
  useDriverOptions,
} from './control-plane-fixture.ts';

// Must stop before the options they use.
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  demand.close();
  await gateway.close();
  await scaler.stop();
  await supervisor.stop();
  await notifications.close();
});

const options = useDriverOptions({
  SLIPWAY_SLEEP_SECONDS: '1',
});
const HOLD_MS = PATIENCE_MS;
const KEY = newApiKey();
let driver: ProcessDriver;
let supervisor: Supervisor;
let scaler: Scaler;
let notifications: Notifications;
let demand: Demand;
let gateway: Gateway;
let server: Server;
let url: string;
const deployments: string[] = [];

beforeAll(async () => {
  const { db, log, databaseUrl } = options();
  driver = new ProcessDriver(options());
  notifications = new Notifications(connectionConfig({ url: databaseUrl }), log);
  await notifications.open();
  supervisor = new Supervisor(options(), driver);
  supervisor.start();
  scaler = new Scaler({ db, log, driver, notifications });
  scaler.start();
  demand = new Demand(db, log);
  await insertApiKey(db, KEY, { tenant_id: null, name: 'callers', role: 'deployer' });
  gateway = new Gateway({
    access: new AgentAccess(options()),
    routes: new RoutingTable(db, notifications, options().box),
    demand,
    holdMs: HOLD_MS,
    log,
  });
  server = createServer((request, response) =>
    gateway.handle(request, response, gateway.addressOf(request)!),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const id of deployments.splice(0)) {
    // As its workflow does; otherwise a later sweep would find no replicas and restore it.
    await setDeploymentStatus(options().db, id, 'AWAITING_DELETE');
    await newWork().erase(id);
  }
});

const newWork = () =>
  new RevisionWork({
    ...options(),
    builder: { build: () => Promise.reject(new Error('nothing is built here')) },
    driver,
  });

/** A serving deployment, as its workflow would create it. */
async function deploy(
  source_config: Record<string, unknown>,
  files: Record<string, string> = GREETER,
): Promise<RevisionRow> {
  const artifact = await placeArtifact(options().dataDir, files);
  const revision = await insertDeployable(options(), artifact, {
    environment: { GREETING: 'hello', SLIPWAY_SWEEP_SECONDS: '1' },
    source_config,
  });
  deployments.push(revision.deployment_id);
  const work = newWork();
  await work.deploy(revision.id, new AbortController().signal);
  await work.cutOver(revision.deployment_id, revision.id);
  return revision;
}

const instancesOf = ({ id }: RevisionRow): Promise<InstanceRow[]> =>
  listInstances(options().db, { revision_id: id });
const clientOf = ({ deployment_id }: RevisionRow) =>
  new AgentClient({ apiUrl: `${url}/d/${deployment_id}`, apiKey: KEY, callerOptions: { maxRetries: 0 } });
const greet = (revision: RevisionRow, ms = 0) =>
  clientOf(revision).runs.wait(null, 'agent', { input: { ms } });
const sweep = () => sweepScale({ ...options(), databaseOf: (id) => findAgentDatabase(options(), id) });
const asleep = async (revision: RevisionRow) => {
  await until('it sleeps', async () => {
    await sweep();
    return (await instancesOf(revision)).length === 0;
  });
};
const numberOf = async ({ id }: RevisionRow) => {
  const { rows } = await options().db.query<{ replicas: number; reached: number }>(
    'select replicas, reached from control_plane.scale where revision_id = $1',
    [id],
  );
  return rows[0]!;
};

test('a scale-to-zero deployment sleeps when idle; requests are held while it wakes, once', async () => {
  const released = join(options().dataDir, 'released');
  const revision = await deploy(
    { deployment_type: 'dev_zero' },
    {
      ...GREETER,
      'agent.js': `import { existsSync } from 'node:fs';
      ${graph(`async ({ ms = 0 }) => {
        while (ms && !existsSync(${JSON.stringify(released)})) await new Promise((resolve) => setTimeout(resolve, ms));
        return { said: process.env.GREETING };
      }`)}`,
    },
  );
  // With continuous requests it does not sleep.
  const client = clientOf(revision);
  const { thread_id } = await client.threads.create();
  const running = client.runs.wait(thread_id, 'agent', { input: { ms: 50 } });
  await until('it executes', async () => (await client.runs.list(thread_id))[0]?.status === 'running');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await sweep();
  expect((await numberOf(revision)).replicas).toBe(1);
  await writeFile(released, '');
  expect(await running).toMatchObject({ said: 'hello' });

  await asleep(revision);
  await until('it has reached that', async () => (await numberOf(revision)).reached === 0);
  const answers = await Promise.all(Array.from({ length: 10 }, () => greet(revision)));
  expect(answers).toHaveLength(10);
  for (const answer of answers) expect(answer).toMatchObject({ said: 'hello' });
  expect(await instancesOf(revision)).toHaveLength(1);
});

test('due work wakes a sleeping deployment in time', async () => {
  const revision = await deploy({ deployment_type: 'dev_zero' });
  const client = clientOf(revision);
  const { thread_id } = await client.threads.create();
  await client.crons.createForThread(thread_id, 'agent', { schedule: '0 0 1 1 *', input: { ms: 0 } });
  const due = async (wait: string): Promise<Date> => {
    const database = new pg.Client(await findAgentDatabase(options(), revision.deployment_id));
    await database.connect();
    const { rows } = await database.query<{ due: Date }>(
      `update cron set next_run_date = date_trunc('second', now()) + $1::interval returning next_run_date as due`,
      [wait],
    );
    await database.end();
    return rows[0]!.due;
  };
  const later = await due('1 hour');
  await asleep(revision);
  const { rows: asked } = await options().db.query<{ wake_at: string }>(
    'select wake_at from control_plane.scale where revision_id = $1',
    [revision.id],
  );
  expect(later.getTime() - new Date(asked[0]!.wake_at).getTime()).toBe(5_000);
  // As if that hour had passed.
  await due('5 seconds');
  await options().db.query('update control_plane.scale set wake_at = now() where revision_id = $1', [
    revision.id,
  ]);
  await until('it is awake by itself', async () => {
    const [instance] = await instancesOf(revision);
    return instance?.state === 'running';
  });
  await until('the cron has run', async () => (await client.runs.list(thread_id)).length > 0);
});

const WHO = {
  ...GREETER,
  'agent.js': graph(`async ({ ms = 0 }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { said: process.env.HOME };
  }`),
};

test('replicas share the requests; a crashed one is restarted alone, and no request fails', async () => {
  const revision = await deploy({ resource_spec: { min_scale: 2, max_scale: 2 } }, WHO);
  const before = await instancesOf(revision);
  expect(before.map(({ state }) => state)).toEqual(['running', 'running']);
  const answers = new Set<unknown>();
  await until('both have answered', async () => {
    answers.add(((await greet(revision)) as { said: string }).said);
    return answers.size === 2;
  });

  const runs = Array.from({ length: 6 }, () => greet(revision, 2_000));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  process.kill(-before[0]!.pid!, 'SIGKILL');
  const reads = await Promise.all(
    Array.from({ length: 40 }, async (_, number) => {
      await new Promise((resolve) => setTimeout(resolve, number * 50));
      return (await fetch(`${url}/d/${revision.deployment_id}/ok`)).status;
    }),
  );
  expect(new Set(reads)).toEqual(new Set([200]));
  // A request in progress there is cut off; its run continues.
  await Promise.allSettled(runs);
  await until('it is back', async () => {
    const [first] = await instancesOf(revision);
    return (
      first!.pid !== before[0]!.pid && (await fetch(`${first!.url}/ok`).catch(() => undefined))?.ok === true
    );
  });
  const [first, second] = await instancesOf(revision);
  expect(first!.crashes).toBe(1);
  expect(second!.pid).toBe(before[1]!.pid);
});

test('scaling down: the removed replica finishes its work and takes no more', async () => {
  const revision = await deploy({ resource_spec: { min_scale: 1, max_scale: 3 } }, WHO);
  const { db } = options();
  const want = (replicas: number) =>
    db.query('update control_plane.scale set replicas = $2 where revision_id = $1', [revision.id, replicas]);
  await want(2);
  await until('two replicas run', async () => (await numberOf(revision)).reached === 2);
  expect((await instancesOf(revision)).filter(({ state }) => state === 'running')).toHaveLength(2);
  const runs = Array.from({ length: 8 }, () => greet(revision, 3_000));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await want(1);
  const more = await Promise.all(Array.from({ length: 20 }, () => greet(revision)));
  expect(more).toHaveLength(20);
  expect(await Promise.all(runs)).toHaveLength(8);
  await until('one replica runs', async () => (await numberOf(revision)).reached === 1);
  expect(await instancesOf(revision)).toHaveLength(1);
});
