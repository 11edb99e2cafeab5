import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { activateRevision } from '../../src/control-plane/records/deployment-repository.ts';
import {
  findInstance,
  insertInstance,
  renewLease,
  setInstanceState,
} from '../../src/control-plane/drivers/instance-repository.ts';
import { ProcessDriver } from '../../src/control-plane/drivers/process/process-driver.ts';
import { Supervisor } from '../../src/control-plane/drivers/supervisor.ts';
import { findRevision, stepRevision } from '../../src/control-plane/records/revision-repository.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { openEnvironment } from '../../src/control-plane/secrets/environment.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { GREETER, insertDeployable, KEY, placeArtifact, useDriverOptions } from './control-plane-fixture.ts';

const options = useDriverOptions();
const supervisors: Supervisor[] = [];
const revisions: RevisionRow[] = [];
afterEach(async () => {
  await Promise.all(supervisors.splice(0).map((supervisor) => supervisor.stop()));
  for (const { deployment_id } of revisions.splice(0))
    await new ProcessDriver(options()).erase(deployment_id);
});

async function deployable(): Promise<RevisionRow> {
  const revision = await insertDeployable(options(), await placeArtifact(options().dataDir, GREETER));
  revisions.push(revision);
  return revision;
}

const start = (revision: RevisionRow) =>
  new ProcessDriver(options()).start({
    revision,
    environment: openEnvironment(options().box, revision.id, revision.environment),
    replicas: 1,
    log: () => {},
    signal: new AbortController().signal,
  });

async function serve(revision: RevisionRow): Promise<void> {
  const { deployment_id, id } = revision;
  await activateRevision(options().db, deployment_id, { revision_id: id, custom_url: 'x' });
  await stepRevision(options().db, id, 'DEPLOYED');
}

function supervise(): Supervisor {
  const supervisor = new Supervisor(options(), new ProcessDriver(options()));
  supervisors.push(supervisor);
  supervisor.start();
  return supervisor;
}

const instanceOf = ({ id }: RevisionRow) => findInstance(options().db, { revision_id: id, replica: 0 });
const answers = async (url: string) => (await fetch(`${url}/ok`).catch(() => undefined))?.status === 200;

/** Another worker of this host; it starts the revision. */
function spawnWorker(revision: RevisionRow) {
  const { databaseUrl, temporal, dataDir, host } = options();
  const about = {
    revision_id: revision.id,
    databaseUrl,
    address: temporal.address,
    dataDir,
    host,
    key: KEY,
  };
  const script = fileURLToPath(new URL('driver-process.ts', import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(about)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('an agent outlives the worker that started it; the next worker joins, drains and ends it', async () => {
  const revision = await deployable();
  const worker = spawnWorker(revision);
  const [url] = (await once(createInterface({ input: worker.stdout }), 'line')) as [string];
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  expect(await answers(url)).toBe(true);
  expect(await start(revision)).toEqual({ url });
  const driver = new ProcessDriver(options());
  await driver.drain(revision.id, { timeoutMs: PATIENCE_MS, signal: new AbortController().signal });
  expect(await answers(url)).toBe(false);
  await driver.stop(revision.id);
  expect(await instanceOf(revision)).toBeUndefined();
});

test('a start whose worker is killed is completed by the next, with one process', async () => {
  const revision = await deployable();
  const worker = spawnWorker(revision);
  await until('the process exists', async () => (await instanceOf(revision))?.pid != null);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  const { url } = await start(revision);
  expect(await answers(url)).toBe(true);
});

test('processes left by a failed revision are stopped', async () => {
  const revision = await deployable();
  const { url } = await start(revision);
  await stepRevision(options().db, revision.id, 'DEPLOY_FAILED');
  supervise();
  await until('it is gone', async () => (await instanceOf(revision)) === undefined);
  expect(await answers(url)).toBe(false);
});

test('a revision whose host is silent is UNKNOWN until the host reports again', async () => {
  const { db } = options();
  const revision = await deployable();
  const { id, deployment_id } = revision;
  const key = { revision_id: id, replica: 0 };
  await insertInstance(db, {
    ...key,
    deployment_id,
    driver: 'process',
    host: 'elsewhere',
    port: 1,
    url: 'http://127.0.0.1:1',
  });
  await setInstanceState(db, key, 'running');
  await serve(revision);
  const statusOf = async () => (await findRevision(db, id))!.status;
  await db.query(
    `update control_plane.instance set lease_until = now() - interval '1 second' where revision_id = $1`,
    [id],
  );
  supervise();
  await until('it is unknown', async () => (await statusOf()) === 'UNKNOWN');
  await renewLease(db, key);
  await until('it is known again', async () => (await statusOf()) === 'DEPLOYED');
  await db.query('delete from control_plane.instance where revision_id = $1', [id]);
});

test('one worker of a host supervises its agents; when it stops, another takes over', async () => {
  const revision = await deployable();
  await start(revision);
  await serve(revision);
  const first = supervise();
  supervise();
  const crash = async () => {
    const { pid } = (await instanceOf(revision))!;
    process.kill(-pid!, 'SIGKILL');
    await until('another process answers', async () => {
      const now = (await instanceOf(revision))!;
      return now.pid !== pid && (await answers(now.url));
    });
  };
  await crash();
  expect((await instanceOf(revision))!.crashes).toBe(1);
  await first.stop();
  supervisors.splice(supervisors.indexOf(first), 1);
  await crash();
  expect((await instanceOf(revision))!.crashes).toBe(2);
});
