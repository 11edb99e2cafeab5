import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { DeploymentsApi } from '../../bench/rollouts/deployments-api.ts';
import { listInstances } from '../../src/control-plane/drivers/instance-repository.ts';
import { databaseName } from '../../src/control-plane/drivers/agent-database.ts';
import { API_KEY, ask, type PlatformProcess, SWEEP_OFTEN, usePlatform } from '../support/platform.ts';
import { type Services, startServices } from '../support/services.ts';
import { until } from '../support/until.ts';
import { Prober } from './lifecycle/prober.ts';
import { groupOf, processesNaming, Stage } from './lifecycle/stage.ts';

const PLACES = [
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
  'cut-over',
  'draining',
] as const;
type Place = (typeof PLACES)[number];

const WORKER = 'test/faults/lifecycle/worker-process.ts';
const SETTLED = /^(DEPLOYED|SKIPPED|INTERRUPTED|.*_FAILED)$/;

/** A deployment whose next revision is held in a state. */
interface Held {
  place: Place;
  id: string;
  /** The serving revision. */
  serving: string;
  /** The held revision. */
  next: string;
  prober: Prober;
}

let services: Services;
const platform = usePlatform({
  services: async () => (services = await startServices()),
  settings: SWEEP_OFTEN,
});
const stage = new Stage(platform);
const all: Held[] = [];
let front: PlatformProcess;
let api: DeploymentsApi;
let worker: PlatformProcess;

const startWorker = () =>
  platform.startProgram(WORKER, { SLIPWAY_GIT_PROTOCOLS: 'file', SLIPWAY_DRAIN_SECONDS: '60' });
const instancesOf = (id: string) => listInstances(platform.db, { deployment_id: id });
const statusOf = async (id: string, revision: string) => (await api.revision(id, revision)).status;

beforeAll(async () => {
  [front, worker] = await Promise.all([platform.start('api'), startWorker()]);
  api = new DeploymentsApi(front.url, API_KEY);
  await stage.open();
  await Promise.all(
    PLACES.map(async (place) => {
      const { id, revision } = await stage.deploy(api);
      all.push({ place, id, serving: revision, next: '', prober: new Prober(api.addressOf(id)) });
    }),
  );
});
afterAll(async () => {
  await Promise.all(all.map(({ prober }) => prober.stop()));
  stage.close();
});

/** Brings the deployment's next revision to its state and holds it there. */
async function bring(held: Held, turn: string): Promise<void> {
  const { place, id, serving } = held;
  const reaches = (status: string, revision = held.next) =>
    until(`${place} is reached`, async () => (await statusOf(id, revision)) === status);
  const redeploy = async () => (held.next = await api.redeploy(id, serving));
  const build = async () =>
    (held.next = await api.patch(id, { secrets: stage.environment(id, { TURN: turn }) }));
  if (place === 'CREATING' || place === 'AWAITING_BUILD' || place === 'AWAITING_DEPLOY') {
    await stage.hold(id, place);
    await (place === 'AWAITING_BUILD' ? build() : redeploy());
    return reaches(place);
  }
  if (place === 'cut-over') {
    await stage.hold(id, 'DEPLOYING');
    await redeploy();
    return until('it is healthy', async () =>
      (await instancesOf(id)).some(
        ({ revision_id, state }) => revision_id === held.next && state === 'running',
      ),
    );
  }
  if (place === 'BUILDING') {
    stage.holdFile(id, 'build');
    await build();
    await reaches(place);
    return until('its build runs', async () => (await stage.building(id)).length > 0);
  }
  if (place === 'draining') {
    stage.holdFile(id, 'stop');
    await redeploy();
    await reaches('DEPLOYED');
    return until('the old one drains', async () =>
      (await instancesOf(id)).some(
        ({ revision_id, state }) => revision_id === serving && state === 'draining',
      ),
    );
  }
  stage.holdFile(id, 'start');
  const first = await redeploy();
  await reaches('DEPLOYING');
  if (place === 'DEPLOYING')
    return until('its agent starts', async () =>
      (await instancesOf(id)).some(({ pid, revision_id }) => revision_id === first && pid !== null),
    );
  await redeploy();
  return reaches('QUEUED');
}

/** Kills the processes of the held revision, if any. */
async function killProcesses(): Promise<void> {
  for (const { id, next } of all) {
    for (const pid of await stage.building(id)) process.kill(pid, 'SIGKILL');
    for (const { revision_id, pid } of await instancesOf(id))
      if (revision_id === next && pid !== null) process.kill(-pid, 'SIGKILL');
  }
}

/** An API killed between its transaction and its signal. */
async function killApi(): Promise<void> {
  const doomed = await platform.start('api');
  const held = all.find(({ place }) => place === 'CREATING')!;
  await services.signal('temporal', 'SIGSTOP');
  try {
    const asked = new DeploymentsApi(doomed.url, API_KEY).redeploy(held.id, held.serving).catch(() => {});
    await until('the revision exists', async () => {
      const { rows } = await platform.db.query<{ id: string }>(
        'select latest_revision_id as id from control_plane.deployment where id = $1 and latest_revision_id <> $2',
        [held.id, held.serving],
      );
      held.next = rows[0]?.id ?? '';
      return held.next !== '';
    });
    await doomed.end('SIGKILL');
    await asked;
  } finally {
    await services.signal('temporal', 'SIGCONT');
  }
  // As if the waiting time had passed.
  await platform.db.query(
    `update control_plane.revision set updated_at = now() - interval '1 minute' where id = $1`,
    [held.next],
  );
}

/** Kills and restarts it. */
async function killPostgres(): Promise<void> {
  const startedAt = () =>
    platform.db.query<{ at: string }>('select pg_postmaster_start_time() as at').then(
      ({ rows }) => rows[0]!.at,
      () => '',
    );
  const before = await startedAt();
  await services.signal('postgres', 'SIGKILL');
  const answers = new Set<number>();
  await until('Postgres is back', async () => {
    answers.add((await ask(front.url, 'GET', '/v2/deployments')).status);
    return !['', before].includes(await startedAt());
  });
  // Never a 500, because the database is down.
  expect([200, 503]).toEqual(expect.arrayContaining([...answers]));
}

const VICTIMS: Record<string, () => Promise<unknown>> = {
  api: killApi,
  worker: async () => {
    await worker.end('SIGKILL');
    worker = await startWorker();
  },
  temporal: () => services.signal('temporal', 'SIGKILL'),
  postgres: killPostgres,
  process: killProcesses,
};

test.each(Object.keys(VICTIMS))(
  'kill -9 of %s in every state of a revision: each ends as expected, and the active one stays',
  async (victim) => {
    const bringing = all.filter(({ place }) => !(victim === 'api' && place === 'CREATING'));
    await Promise.all(bringing.map((held) => bring(held, victim)));
    const killed = Date.now();
    await VICTIMS[victim]!();
    for (const { place, id, serving, next, prober } of all) {
      // The previous revision is still active or, after the cut-over, the next one.
      const answered = [...prober.answeredSince(killed)];
      const expected = place === 'draining' ? next : serving;
      expect({ place, answered: answered.filter((revision) => revision !== expected) }).toEqual({
        place,
        answered: [],
      });
      await stage.release(id);
    }
    const outcomes = await Promise.all(
      all.map(async (held) => {
        let status = '';
        await until(`${held.place} has ended`, async () =>
          SETTLED.test((status = await statusOf(held.id, held.next).catch(() => ''))),
        );
        return [held.place, status];
      }),
    );
    const fails = (place: Place) => victim === 'process' && place === 'BUILDING';
    expect(outcomes).toEqual(all.map(({ place }) => [place, fails(place) ? 'BUILD_FAILED' : 'DEPLOYED']));
    for (const held of all) if (!fails(held.place)) held.serving = held.next;
    await nothingIsLeft();
    for (const { place, prober } of all)
      expect({ place, failures: prober.failures }).toEqual({ place, failures: [] });
  },
);

/** One instance per deployment, and no other processes, build folders or databases. */
async function nothingIsLeft(): Promise<void> {
  const { dataDir, db } = platform;
  for (const { id, serving, place } of all) {
    await until(`${place}: one instance is left`, async () => {
      const instances = await instancesOf(id);
      return (
        instances.length === 1 && instances[0]!.revision_id === serving && instances[0]!.state === 'running'
      );
    });
  }
  const { rows } = await db.query<{ pid: number }>('select pid from control_plane.instance');
  const leaders = new Set(rows.map(({ pid }) => pid));
  await until('no process is left', async () => {
    const groups = await Promise.all((await processesNaming(dataDir)).map(groupOf));
    return groups.every((group) => group === 0 || leaders.has(group));
  });
  const builds = join(dataDir, 'builds');
  await until(
    'no build folder is left',
    async () => !existsSync(builds) || (await readdir(builds)).length === 0,
  );
  const databases = await db.query<{ datname: string }>(
    `select datname from pg_database where datname ~ '^slipway_[0-9a-f]{32}$' order by datname`,
  );
  expect(databases.rows.map(({ datname }) => datname)).toEqual(all.map(({ id }) => databaseName(id)).sort());
}

test('a deleted deployment leaves no process, database, folder or workflow', async () => {
  await Promise.all(all.map(({ prober }) => prober.stop()));
  await Promise.all(all.map(({ id }) => api.remove(id)));
  const { dataDir, db, env } = platform;
  expect(await processesNaming(dataDir)).toEqual([]);
  expect((await db.query('select from control_plane.instance')).rowCount).toBe(0);
  expect((await db.query(`select from pg_database where datname ~ '^slipway_[0-9a-f]{32}$'`)).rowCount).toBe(
    0,
  );
  expect(await readdir(join(dataDir, 'instances'))).toEqual([]);
  const connection = await Connection.connect({ address: env['TEMPORAL_ADDRESS']! });
  const { workflow } = new Client({ connection });
  await until('no workflow is open', async () => {
    const query = `ExecutionStatus = 'Running' and WorkflowType in ('deployment', 'revision', 'retirement')`;
    return (await workflow.count(query)).count === 0;
  });
  await connection.close();
});
