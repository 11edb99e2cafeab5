import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from '@jest/globals';
import { Client as AgentClient } from '@langchain/langgraph-sdk';
import pg from 'pg';
import { activateRevision } from '../../src/control-plane/deployments/deployment-repository.ts';
import { databaseName, ensureAgentDatabase } from '../../src/control-plane/drivers/process/agent-database.ts';
import { findInstance } from '../../src/control-plane/drivers/process/instance-repository.ts';
import { ProcessDriver } from '../../src/control-plane/drivers/process/process-driver.ts';
import { Supervisor } from '../../src/control-plane/drivers/process/supervisor.ts';
import { listLines } from '../../src/control-plane/logs/log-repository.ts';
import { stepRevision } from '../../src/control-plane/revisions/revision-repository.ts';
import type { RevisionRow } from '../../src/control-plane/revisions/revision.ts';
import { openEnvironment } from '../../src/control-plane/secrets/environment.ts';
import { until } from '../faults/cluster.ts';
import {
  graph,
  GREETER,
  insertDeployable,
  placeArtifact,
  useDriverOptions,
} from './control-plane-fixture.ts';

const options = useDriverOptions({ SLIPWAY_DRAIN_SECONDS: '30', SLIPWAY_DEPLOY_TIMEOUT_SECONDS: '20' });
const drivers: { driver: ProcessDriver; revision: RevisionRow }[] = [];
const supervisors: Supervisor[] = [];
afterEach(async () => {
  await Promise.all(supervisors.splice(0).map((supervisor) => supervisor.stop()));
  for (const { driver, revision } of drivers.splice(0)) await driver.erase(revision.deployment_id);
});

async function deployable(files: Record<string, string> = GREETER, about = {}) {
  const artifact = await placeArtifact(options().dataDir, files);
  const revision = await insertDeployable(options(), artifact, {
    environment: { GREETING: `it's "hello"` },
    ...about,
  });
  const driver = new ProcessDriver(options());
  drivers.push({ driver, revision });
  const said: string[] = [];
  const request = {
    revision,
    environment: openEnvironment(options().box, revision.id, revision.environment),
    replicas: 1,
    log: (line: string) => void said.push(line),
    signal: new AbortController().signal,
  };
  return { driver, revision, request, said };
}

const find = ({ id }: RevisionRow) => findInstance(options().db, { revision_id: id, replica: 0 });
const instanceOf = async (revision: RevisionRow) => (await find(revision))!;
const gone = async (url: string) => !(await fetch(`${url}/ok`).catch(() => undefined));
const greet = (url: string, ms = 0) =>
  new AgentClient({ apiUrl: url }).runs.wait(null, 'agent', { input: { ms } }) as Promise<{ said: string }>;

/** The process that serves, below the leader of its group. */
async function agentPid(leader: number): Promise<number> {
  const children = await readFile(`/proc/${leader}/task/${leader}/children`, 'utf8');
  const [child] = children.trim().split(' ').filter(Boolean).map(Number);
  return child === undefined ? leader : agentPid(child);
}

test('a revision starts, runs with its own environment and nothing of ours, drains, and is gone', async () => {
  process.env['PLATFORM_SECRET'] = 'not for agents';
  const { driver, revision, request } = await deployable();
  const { url } = await driver.start(request);
  expect((await greet(url)).said).toBe(`it's "hello" `);

  const last = greet(url, 2_000);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await driver.drain(revision.id, { timeoutMs: 30_000, signal: request.signal });
  expect((await last).said).toBe(`it's "hello" `);
  expect(await gone(url)).toBe(true);
  await driver.stop(revision.id);
  expect(await find(revision)).toBeUndefined();
  await driver.stop(revision.id);
  const lines = await listLines(options().db, {
    phase: 'deploy',
    deployment_id: revision.deployment_id,
    order: 'asc',
    limit: 100,
  });
  expect(lines.map(({ message }) => message).join('\n')).toContain('agent server ready');
}, 90_000);

test('a start that is repeated, also by another process, joins what runs', async () => {
  const { driver, request, revision } = await deployable();
  const other = new ProcessDriver(options());
  const [first, second] = await Promise.all([driver.start(request), other.start(request)]);
  expect(second).toEqual(first);
  const { pid } = await instanceOf(revision);
  expect(await other.start(request)).toEqual(first);
  expect((await instanceOf(revision)).pid).toBe(pid);
}, 90_000);

test('an agent that is killed is started again, at the same address; its end is in the log', async () => {
  const { driver, request, revision } = await deployable();
  const { db } = options();
  const supervisor = new Supervisor(options(), driver);
  supervisors.push(supervisor);
  supervisor.start();
  const { url } = await driver.start(request);
  await activateRevision(db, revision.deployment_id, { revision_id: revision.id, custom_url: 'x' });
  await stepRevision(db, revision.id, 'DEPLOYED');
  const { pid } = await instanceOf(revision);
  process.kill(await agentPid(pid!), 'SIGKILL');
  await until('another process answers', 30_000, async () => {
    const now = await instanceOf(revision);
    return now.pid !== pid && !(await gone(now.url));
  });
  expect((await driver.locate(revision.id))!.url).toBe(url);
  expect((await greet(url)).said).toContain('hello');
  const lines = await listLines(db, {
    phase: 'deploy',
    deployment_id: revision.deployment_id,
    level: 'error',
    order: 'desc',
    limit: 10,
  });
  expect(lines.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/ended by itself: it was killed by SIGKILL/),
  );
}, 90_000);

test('a broken project fails with the line that says why, and leaves nothing running', async () => {
  const { driver, request, revision } = await deployable({
    ...GREETER,
    'graph.json': '{"graphs":{"agent":"./missing.js:graph"}}',
  });
  const failure = await driver.start(request).catch((error: Error) => error);
  expect(failure).toMatchObject({ name: 'StartFailed', message: expect.stringContaining('missing.js') });
  expect((failure as Error).message).not.toContain(options().dataDir);
  expect(await find(revision)).toBeUndefined();
}, 60_000);

test.each([
  ['heap', 'new Array(1e6).fill(Math.random())'],
  ['buffers', 'Buffer.alloc(2e7, 1)'],
])(
  'an agent that needs more memory than it has is said to: %s',
  async (_, more) => {
    const { driver, request } = await deployable(
      { ...GREETER, 'agent.js': `const held = []; for (;;) held.push(${more});` },
      { resource_spec: { memory_limit_mb: 256 } },
    );
    await expect(driver.start(request)).rejects.toThrow(/256 MB of memory/);
  },
  60_000,
);

test('an agent that ends each time it starts is given up after a few', async () => {
  const { driver, request, said } = await deployable({
    ...GREETER,
    'agent.js': `console.log('no licence'); process.exit(7); ${graph('() => ({})')}`,
  });
  await expect(driver.start(request)).rejects.toThrow(/3 times.*exit code 7\n.*no licence/s);
  expect(said).toHaveLength(2);
}, 60_000);

test('a stop takes less than 5 s, whatever the agent does, and takes along what left its group', async () => {
  const { driver, request, revision } = await deployable({
    ...GREETER,
    'agent.js': `
      import { spawn } from 'node:child_process';
      spawn('sleep', ['987654'], { detached: true, stdio: 'ignore' }).unref();
      process.on('SIGTERM', () => {});
      ${graph('() => ({})')}`,
  });
  await driver.start(request);
  const leader = (await instanceOf(revision)).pid!;
  const agent = await agentPid(leader);
  const began = Date.now();
  await driver.stop(revision.id);
  expect(Date.now() - began).toBeLessThan(5_000);
  for (const pid of [leader, agent]) expect(() => process.kill(pid, 0)).toThrow();
}, 60_000);

test('an interrupted start leaves nothing', async () => {
  const { driver, request, revision } = await deployable({
    ...GREETER,
    'agent.js': `await new Promise((resolve) => setTimeout(resolve, 60_000));`,
  });
  const { signal, ...controller } = { signal: AbortSignal.timeout(2_000) };
  expect(controller).toEqual({});
  await expect(driver.start({ ...request, signal })).rejects.toThrow();
  expect(await find(revision)).toBeUndefined();
}, 60_000);

test('the role of a deployment reaches its own database and neither ours nor another one', async () => {
  const [one, other] = [await deployable(), await deployable()];
  const url = await ensureAgentDatabase(options(), one.revision.deployment_id);
  await ensureAgentDatabase(options(), other.revision.deployment_id);
  const connect = async (database?: string) => {
    const address = new URL(url);
    if (database) address.pathname = database;
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    await client.end();
  };
  await connect();
  await expect(connect(databaseName(other.revision.deployment_id))).rejects.toThrow(/permission denied/);
  await expect(connect(new URL(options().databaseUrl).pathname.slice(1))).rejects.toThrow(
    /permission denied/,
  );
}, 60_000);

test('erasing a deployment ends what runs, its workflows and schedules, and drops its database', async () => {
  const { driver, request, revision } = await deployable();
  const { url } = await driver.start(request);
  await greet(url);
  const { deployment_id } = revision;
  await driver.erase(deployment_id);
  expect(await gone(url)).toBe(true);
  const { rows } = await options().db.query('select from pg_database where datname = $1', [
    databaseName(deployment_id),
  ]);
  expect(rows).toHaveLength(0);
  await until('no schedule is left', 10_000, async () => {
    const schedules = options().client.schedule.list({ query: `ScheduleId STARTS_WITH '${deployment_id}/'` });
    return (await schedules[Symbol.asyncIterator]().next()).done === true;
  });
  await driver.erase(deployment_id);
}, 90_000);
