// Tests that every driver must pass. A driver's test file defines how to open and inspect it:
//
//   conformsToDriver('process', { open: (options) => ({ driver: new ProcessDriver(options), ... }) });
//
// Postgres, Temporal, the gateway and the agents are real; so is the runtime of the driver, as far as possible.
// Each test has its own deployment, which is deleted afterwards.
import { afterEach, expect, test } from '@jest/globals';
import { Client as AgentClient } from '@langchain/langgraph-sdk';
import { activateRevision } from '../../src/control-plane/records/deployment-repository.ts';
import { databaseName } from '../../src/control-plane/drivers/agent-database.ts';
import type { Driver } from '../../src/control-plane/drivers/driver.ts';
import type { DriverOptions } from '../../src/control-plane/drivers/driver-options.ts';
import { listLines } from '../../src/control-plane/logs/log-repository.ts';
import { findRevision, stepRevision } from '../../src/control-plane/records/revision-repository.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { beginScale } from '../../src/control-plane/scaling/scale-repository.ts';
import { sweepScale } from '../../src/control-plane/scaling/scale-sweep.ts';
import { Scaler } from '../../src/control-plane/drivers/scaler.ts';
import { openEnvironment } from '../../src/control-plane/secrets/environment.ts';
import { connectionConfig } from '../../src/platform/db/database.ts';
import { Notifications } from '../../src/platform/db/notifications.ts';
import {
  gatewayHeaders,
  graph,
  GREETER,
  insertDeployable,
  placeArtifact,
  useDriverOptions,
} from '../control-plane/control-plane-fixture.ts';
import { takesLess } from '../support/takes-less.ts';
import { until } from '../support/until.ts';
import { beginRun } from './begin-run.ts';
import { BUSY, gone, untilMeasured } from './agents-seen.ts';
import { startGateway, startTraffic } from './gateway-traffic.ts';

/** A worker's driver, with functions to inspect what it runs. */
export interface DriverUnderTest {
  driver: Driver;
  /** Kills the program of the first replica, as the system would; it must not be the platform that did it. */
  crash(revisionId: string): Promise<void>;
  /** Names of a revision's processes, containers or pods; none once it is gone. */
  left(revisionId: string): Promise<string[]>;
  /** Records the replicas' usage, as a supervisor does periodically. */
  measure(): Promise<void>;
  /** Supervises what runs, as workers do, if the driver itself does not. */
  supervise?(): { stop(): Promise<void> };
}

export interface ConformanceOptions {
  /** Opens another driver, as another worker would; called several times per test. */
  open(options: DriverOptions): DriverUnderTest;
  /** Path of this checkout's packages where agents run; by default the same as here. */
  modules?: string | undefined;
  /** Settings in addition to those of the suite. */
  settings?: Record<string, string>;
  /** Why the driver cannot run here; its tests are then skipped. */
  skip?: string | undefined;
}

const DRAIN_SECONDS = '25';
// For runs that should not finish: an agent keeps running for a second, then hands them back.
const SHORT_DRAIN_SECONDS = 11;
const SLEEPER = `await new Promise((resolve) => setTimeout(resolve, 600_000));`;
const SOON_MS = 5_000;

/** Declares the tests; returns what further tests of the driver can use. */
export function conformsToDriver(name: string, { open, modules, settings, skip }: ConformanceOptions) {
  const options = useDriverOptions({
    SLIPWAY_DRAIN_SECONDS: DRAIN_SECONDS,
    SLIPWAY_DEPLOY_TIMEOUT_SECONDS: '120',
    ...settings,
  });
  const check = skip ? test.skip : test;
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  const opened = () => open(options());

  /** A revision of a project that is already built, with the options that start it. */
  async function deployable(
    files: Record<string, string> = GREETER,
    about: Parameters<typeof insertDeployable>[2] = {},
  ) {
    const artifact = await placeArtifact(options().dataDir, files, modules);
    const revision = await insertDeployable(options(), artifact, {
      environment: { GREETING: `it's "hello"` },
      ...about,
    });
    const under = opened();
    if (!about.deployment_id) ends.push(() => under.driver.erase(revision.deployment_id));
    const said: string[] = [];
    const request = {
      revision,
      environment: openEnvironment(options().box, revision.id, revision.environment),
      replicas: 1,
      log: (line: string) => void said.push(line),
      signal: new AbortController().signal,
    };
    return { ...under, revision, request, said };
  }

  /** As the cut-over does. */
  async function serve({ id, deployment_id }: RevisionRow): Promise<void> {
    await activateRevision(options().db, deployment_id, { revision_id: id, custom_url: 'x' });
    await stepRevision(options().db, id, 'DEPLOYED');
  }

  function supervise({ supervise: start }: DriverUnderTest): void {
    const supervisor = start?.();
    if (supervisor) ends.push(() => supervisor.stop());
  }

  async function linesOf({ deployment_id, id }: RevisionRow): Promise<string[]> {
    const filter = { phase: 'deploy', deployment_id, revision_id: id, order: 'asc', limit: 10_000 } as const;
    return (await listLines(options().db, filter)).map(({ message }) => message);
  }

  const urlsOf = async ({ id }: RevisionRow): Promise<string[]> => {
    const { rows } = await options().db.query<{ url: string }>(
      `select url from control_plane.instance where revision_id = $1 and state = 'running' order by replica`,
      [id],
    );
    return rows.map(({ url }) => url);
  };
  const rowsOf = async ({ id }: RevisionRow) =>
    (await options().db.query('select from control_plane.instance where revision_id = $1', [id])).rowCount;
  /** A client of a gateway, or of an instance, which requires its gateway's token. */
  const agentAt = async (url: string, apiKey?: string): Promise<AgentClient> => {
    const { rows } = await options().db.query<{ revision_id: string }>(
      'select revision_id from control_plane.instance where url = $1',
      [url],
    );
    const defaultHeaders = rows[0] ? await gatewayHeaders(options(), rows[0].revision_id) : {};
    return new AgentClient({ apiUrl: url, defaultHeaders, ...(apiKey && { apiKey }) });
  };
  const greet = async (url: string, ms = 0, apiKey?: string) =>
    (await (await agentAt(url, apiKey)).runs.wait(null, 'agent', { input: { ms } })) as { said: string };
  const expectNothing = async ({ left }: DriverUnderTest, revision: RevisionRow) => {
    expect(await left(revision.id)).toEqual([]);
    expect(await rowsOf(revision)).toBe(0);
  };

  const called = (what: string) => `${name}: ${what}`;

  check(
    called('a revision starts, runs with its own environment, drains, and is removed; its log is kept'),
    async () => {
      process.env['PLATFORM_SECRET'] = 'not for agents';
      const started = await deployable();
      const { driver, revision, request } = started;
      const { url } = await driver.start(request);
      expect((await greet(url)).said).toBe(`it's "hello" `);
      const last = await beginRun(await agentAt(url), 2_000);
      await driver.drain(revision.id, { timeoutMs: 30_000, signal: request.signal });
      expect((await last.ended).said).toBe(`it's "hello" `);
      expect(await gone(url)).toBe(true);
      await driver.stop(revision.id);
      await expectNothing(started, revision);
      await driver.stop(revision.id);
      const lines = await linesOf(revision);
      expect(lines.filter((line) => line.includes('agent server ready'))).toHaveLength(1);
    },
  );

  check(called('a repeated start, also by another worker, joins running replicas'), async () => {
    const { driver, request, revision, left } = await deployable();
    const other = opened().driver;
    const [first, second] = await Promise.all([driver.start(request), other.start(request)]);
    expect(second).toEqual(first);
    const running = await left(revision.id);
    expect(await other.start(request)).toEqual(first);
    expect(await left(revision.id)).toEqual(running);
  });

  const measured = async () => untilMeasured(options().db, await deployable(BUSY));
  check(called("a replica's CPU and memory usage is recorded"), measured);

  check(called('a revision runs the requested replicas, each from its own build'), async () => {
    const one = await deployable();
    const { deployment_id } = one.revision;
    const said = "it's another artifact";
    const other = await deployable(
      { ...GREETER, 'agent.js': graph(`() => ({ said: ${JSON.stringify(said)} })`) },
      { deployment_id },
    );
    const { driver, request } = one;
    const [{ url }, { url: otherUrl }] = await Promise.all([
      driver.start(request),
      driver.start(other.request),
    ]);
    const { signal } = request;
    await driver.scale(one.revision.id, 2, { signal });
    const urls = await urlsOf(one.revision);
    expect(new Set(urls).size).toBe(2);
    for (const each of urls) expect((await greet(each)).said).toBe(`it's "hello" `);
    await driver.scale(one.revision.id, 1, { signal });
    expect(await urlsOf(one.revision)).toEqual([url]);
    await driver.scale(one.revision.id, 0, { signal });
    await expectNothing(one, one.revision);
    expect((await greet(otherUrl)).said).toBe(said);
  });

  check(called('no request is dropped at a cut-over, or when a broken revision fails to start'), async () => {
    const old = await deployable();
    const { driver, revision } = old;
    const { deployment_id } = revision;
    supervise(old);
    const next = await deployable(GREETER, { deployment_id, environment: { GREETING: 'next' } });
    const broken = await deployable({ ...GREETER, 'agent.js': 'export const graph = 1;' }, { deployment_id });
    await driver.start(old.request);
    await serve(revision);
    const gateway = await startGateway(options());
    ends.push(() => gateway.close());
    const { apiKey } = gateway;
    const address = `${gateway.url}/d/${deployment_id}`;
    const traffic = startTraffic(address, apiKey);
    await expect(driver.start(broken.request)).rejects.toThrow(/exit code.*\n.*graph/s);
    await driver.start(next.request);
    const running = await beginRun(await agentAt(address, apiKey), 3_000);
    await serve(next.revision);
    await driver.drain(revision.id, { timeoutMs: 30_000, signal: old.request.signal });
    await driver.stop(revision.id);
    expect((await running.ended).said).toContain('hello');
    expect(await greet(address, 0, apiKey)).toMatchObject({ said: 'next ' });
    await until('many were answered', () => traffic.answered() > 100);
    const { answered, failures, revisions } = await traffic.stop();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(100);
    expect([...revisions].sort()).toEqual([revision.id, next.revision.id].sort());
    await expectNothing(old, revision);
  });

  check(called('work that is unfinished after the drain is handed to the next revision'), async () => {
    const old = await deployable();
    const { revision } = old;
    const config = { ...options().config, SLIPWAY_DRAIN_SECONDS: SHORT_DRAIN_SECONDS };
    const { driver } = open({ ...options(), config });
    const next = await deployable(GREETER, {
      deployment_id: revision.deployment_id,
      environment: { GREETING: 'next' },
    });
    const [{ url }, { url: nextUrl }] = await Promise.all([
      driver.start(old.request),
      driver.start(next.request),
    ]);
    const { runs: oldRuns, threads } = await agentAt(url);
    const { thread_id } = await threads.create();
    const { run_id } = await oldRuns.create(thread_id, 'agent', {
      input: { ms: 600_000 },
    });
    const { runs } = await agentAt(nextUrl);
    await until('it runs', async () => (await runs.get(thread_id, run_id)).status === 'running');
    // It ends when the agent has handed its run back and exited, well before the run would end.
    await driver.drain(revision.id, { timeoutMs: 120_000, signal: old.request.signal });
    expect(await gone(url)).toBe(true);
    expect(['pending', 'running']).toContain((await runs.get(thread_id, run_id)).status);
    await driver.stop(revision.id);
  });

  check(called('a killed agent is restarted, and its end is in the log'), async () => {
    const started = await deployable();
    const { driver, request, revision } = started;
    supervise(started);
    await driver.start(request);
    await serve(revision);
    await started.crash(revision.id);
    const reason = /ended by itself: it was killed/;
    await until('its end is logged', async () => (await linesOf(revision)).some((line) => reason.test(line)));
    await until('it answers again', async () => {
      const [url] = await urlsOf(revision);
      return url !== undefined && !(await gone(url));
    });
    expect((await greet((await urlsOf(revision))[0]!)).said).toContain('hello');
  });

  check(called('an active revision that lost its rows recovers'), async () => {
    const started = await deployable();
    const { driver, request, revision, left } = started;
    const { db, log, databaseUrl } = options();
    await beginScale(db, revision.id, { least: 1, most: 1 });
    const { url } = await driver.start(request);
    await serve(revision);
    supervise(started);
    const running = await left(revision.id);
    const notifications = new Notifications(connectionConfig({ url: databaseUrl }), log);
    await notifications.open();
    const scaler = new Scaler({ db, log, driver, notifications });
    ends.push(async () => {
      await scaler.stop();
      await notifications.close();
    });
    const sweep = () => sweepScale({ ...options(), databaseOf: async () => undefined });
    const isReconciled = async () => (await findRevision(db, revision.id))!.remote_reconciled;
    // Excludes revisions that earlier tests left serving.
    await db.query(`update control_plane.deployment set status = 'AWAITING_DELETE' where id <> $1`, [
      revision.deployment_id,
    ]);
    expect((await sweep()).drifted).toEqual([]);
    await db.query('delete from control_plane.instance where revision_id = $1', [revision.id]);
    expect((await sweep()).drifted).toEqual([revision.id]);
    expect(await isReconciled()).toBe(false);
    scaler.start();
    await until('it is as it was', isReconciled);
    const urls = await urlsOf(revision);
    expect((await greet(urls[0]!)).said).toContain('hello');
    // Forgotten instances are adopted again, or gone.
    await until('one of them is left', async () => urls[0] === url || gone(url));
    await until('it is as much', async () => (await left(revision.id)).length === running.length);
    expect((await sweep()).drifted).toEqual([]);
  });

  check(called('a broken project fails with its reason and leaves nothing'), async () => {
    const broken = await deployable({
      ...GREETER,
      'graph.json': '{"graphs":{"agent":"./missing.js:graph"}}',
    });
    const failure = await broken.driver.start(broken.request).catch((error: Error) => error);
    expect(failure).toMatchObject({ name: 'StartFailed', message: expect.stringContaining('missing.js') });
    expect((failure as Error).message).not.toContain(options().dataDir);
    await expectNothing(broken, broken.revision);
  });

  check.each([
    ['heap', 'new Array(1e6).fill(Math.random())'],
    ['buffers', 'Buffer.alloc(2e7, 1)'],
  ])(called('an agent that runs out of memory is reported: %s'), async (_, more) => {
    const { driver, request } = await deployable(
      { ...GREETER, 'agent.js': `const held = []; for (;;) held.push(${more});` },
      { resource_spec: { memory_limit_mb: 256 } },
    );
    await expect(driver.start(request)).rejects.toThrow(/256 MB of memory/);
  });

  check(
    called('an agent that keeps crashing at startup fails after a few attempts, with its last output'),
    async () => {
      const looping = await deployable({
        ...GREETER,
        'agent.js': `console.log('no licence'); process.exit(7); ${graph('() => ({})')}`,
      });
      await expect(looping.driver.start(looping.request)).rejects.toThrow(
        /3 times.*exit code 7\n.*no licence/s,
      );
      const lines = await linesOf(looping.revision);
      expect(lines.filter((line) => line === 'no licence')).toHaveLength(3);
      await expectNothing(looping, looping.revision);
    },
  );

  check(called('a stop takes less than 5 s, and also ends processes that left the group'), () =>
    takesLess(SOON_MS, async () => {
      const stubborn = await deployable({
        ...GREETER,
        'agent.js': `
        import { spawn } from 'node:child_process';
        spawn('sleep', ['987654'], { detached: true, stdio: 'ignore' }).unref();
        process.on('SIGTERM', () => {});
        ${graph('() => ({})')}`,
      });
      const { driver, revision, request } = stubborn;
      await driver.start(request);
      const began = Date.now();
      await driver.stop(revision.id);
      const took = Date.now() - began;
      await expectNothing(stubborn, revision);
      return took;
    }),
  );

  check(called('an interrupted start leaves nothing within 5 s'), () =>
    takesLess(SOON_MS, async () => {
      const starting = await deployable({ ...GREETER, 'agent.js': SLEEPER });
      const { driver, revision, request } = starting;
      const interrupt = new AbortController();
      const start = driver.start({ ...request, signal: interrupt.signal }).catch((error: Error) => error);
      await until('it has begun', async () => (await starting.left(revision.id)).length > 0);
      const began = Date.now();
      interrupt.abort();
      expect(await start).toHaveProperty('message');
      const took = Date.now() - began;
      await expectNothing(starting, revision);
      return took;
    }),
  );

  check(
    called('erasing a deployment ends its agents, workflows and schedules, and drops its database'),
    async () => {
      const started = await deployable();
      const { driver, revision, request } = started;
      const { url } = await driver.start(request);
      await greet(url);
      const { deployment_id } = revision;
      await driver.erase(deployment_id);
      expect(await gone(url)).toBe(true);
      await expectNothing(started, revision);
      const { db, client } = options();
      const { rows } = await db.query('select from pg_database where datname = $1', [
        databaseName(deployment_id),
      ]);
      expect(rows).toHaveLength(0);
      await until('no schedule is left', async () => {
        const schedules = client.schedule.list({ query: `ScheduleId STARTS_WITH '${deployment_id}/'` });
        return (await schedules[Symbol.asyncIterator]().next()).done === true;
      });
      await driver.erase(deployment_id);
    },
  );

  return { options, opened, deployable, greet, serve, linesOf, urlsOf, check };
}
