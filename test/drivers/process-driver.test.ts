import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { databaseName, ensureAgentDatabase } from '../../src/control-plane/drivers/agent-database.ts';
import { findInstance, insertInstance } from '../../src/control-plane/drivers/instance-repository.ts';
import { ProcessDriver } from '../../src/control-plane/drivers/process/process-driver.ts';
import { Supervisor } from '../../src/control-plane/drivers/supervisor.ts';
import { openEnvironment } from '../../src/control-plane/secrets/environment.ts';
import { listLines } from '../../src/control-plane/logs/log-repository.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { GREETER, insertDeployable, placeArtifact } from '../control-plane/control-plane-fixture.ts';
import { until } from '../support/until.ts';
import { conformsToDriver } from './driver-conformance.ts';

const { options, deployable } = conformsToDriver('process', {
  open(options) {
    const driver = new ProcessDriver(options);
    const leader = async (id: string) =>
      (await findInstance(options.db, { revision_id: id, replica: 0 }))?.pid ?? undefined;
    return {
      driver,
      async crash(id) {
        process.kill(await agentPid((await leader(id))!), 'SIGKILL');
      },
      async left(id) {
        const pid = await leader(id);
        return pid === undefined ? [] : [String(pid)];
      },
      measure: () => driver.runtime.measure!(),
      supervise() {
        const supervisor = new Supervisor(options, driver);
        supervisor.start();
        return supervisor;
      },
    };
  },
});

/** The server, below the leader of its group. */
async function agentPid(leader: number): Promise<number> {
  const children = await readFile(`/proc/${leader}/task/${leader}/children`, 'utf8');
  const [child] = children.trim().split(' ').filter(Boolean).map(Number);
  return child ?? leader;
}

test('a revision from an image is refused, with a hint', async () => {
  const { driver, request, revision } = await deployable();
  const image = { ...revision, source: 'external_container' as const, artifact: null };
  await expect(driver.start({ ...request, revision: image })).rejects.toThrow(/docker or kubernetes driver/);
  expect(await findInstance(options().db, { revision_id: revision.id, replica: 0 })).toBeUndefined();
});

test("a deployment's role can access its own database, but not the platform's or another's", async () => {
  const [one, other] = [await deployable(), await deployable()];
  const url = await ensureAgentDatabase(options(), one.revision);
  await ensureAgentDatabase(options(), other.revision);
  expect(await ensureAgentDatabase(options(), one.revision)).toBe(url);
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

  // Anything an operator has undone is restored.
  const { db } = options();
  const name = databaseName(one.revision.deployment_id);
  for (const undone of [
    `alter role ${name} connection limit 1`,
    `alter role ${name} nologin`,
    `grant connect on database ${name} to public`,
    `drop database ${name}`,
  ]) {
    await db.query(undone);
    expect([undone, await ensureAgentDatabase(options(), one.revision)]).toEqual([undone, url]);
    await connect();
    const { rows } = await db.query(
      `select rolconnlimit > 1 as many, has_database_privilege('public', rolname, 'connect') as open
       from pg_roles where rolname = $1`,
      [name],
    );
    expect([undone, rows[0]]).toEqual([undone, { many: true, open: false }]);
  }
});

test('there are connections for each draining revision', async () => {
  const { revision } = await deployable();
  const { db } = options();
  const limit = async () => {
    await ensureAgentDatabase(options(), revision);
    const { rows } = await db.query<{ rolconnlimit: number }>(
      'select rolconnlimit from pg_roles where rolname = $1',
      [databaseName(revision.deployment_id)],
    );
    return rows[0]!.rolconnlimit;
  };
  const usual = await limit();
  const { id: revision_id, deployment_id } = revision;
  for (let replica = 0; replica < usual; replica++) {
    const place = { driver: 'process', host: 'elsewhere', port: 1 + replica, url: 'http://127.0.0.1:1' };
    await insertInstance(db, { revision_id, deployment_id, replica, ...place });
  }
  expect(await limit()).toBeGreaterThanOrEqual(10 * usual);
  await db.query('delete from control_plane.instance where revision_id = $1', [revision_id]);
  expect(await limit()).toBe(usual);
});

// Only root on Linux can run processes as other users.
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const ifRoot = isRoot ? test : test.skip;

/** A data folder that only root may enter. */
async function privateDataDir(): Promise<{ above: string; dataDir: string }> {
  const above = await mkdtemp(join(tmpdir(), 'slipway-private-'));
  return { above, dataDir: join(above, 'data') };
}

ifRoot('an agent sees only its project and work folder, whatever their parents', async () => {
  const { above, dataDir } = await privateDataDir();
  const own = { ...options(), dataDir };
  const driver = new ProcessDriver(own);
  const looks = `import { readdirSync, writeFileSync } from 'node:fs';
const seen = (folder) => { try { return readdirSync(folder).join(); } catch ({ code }) { return code; } };
writeFileSync(process.env.HOME + '/mine', '');
console.log('SEES ' + [seen('.'), seen(process.env.HOME), seen('${dataDir}'), seen('${above}')].join(' | '));
`;
  const files = { ...GREETER, 'agent.js': `${looks}${GREETER['agent.js']}` };
  const artifact = await placeArtifact(dataDir, files);
  await writeFile(join(dataDir, 'known'), 'to everybody', { mode: 0o644 });
  const revision = await insertDeployable(own, artifact, { environment: { GREETING: 'hello' } });
  const environment = openEnvironment(own.box, revision.id, revision.environment);
  const { signal } = new AbortController();
  try {
    await driver.start({ revision, environment, replicas: 1, log: () => {}, signal });
    const answer = async () => {
      const { id: revision_id, deployment_id } = revision;
      const filter = { deployment_id, revision_id, phase: 'deploy', order: 'asc', limit: 100 } as const;
      const lines = await listLines(own.db, filter);
      return lines.map(({ message }) => message).find((line) => line.startsWith('SEES'));
    };
    await until('it reports what it sees', async () => (await answer()) !== undefined);
    expect(await answer()).toBe(
      'SEES agent.js,graph.json,node_modules,package.json | mine | ENOENT | ENOENT',
    );
  } finally {
    await driver.erase(revision.deployment_id);
    await rm(above, { recursive: true });
  }
});

ifRoot('without separate mounts, a parent folder that agents cannot enter is reported', async () => {
  const { above, dataDir } = await privateDataDir();
  const slipway = fileURLToPath(new URL('dist/bin/slipway.js', packageRoot));
  const asked = ['--bounding-set=-sys_admin', process.execPath, slipway, 'doctor', '--json'];
  const env = { ...process.env, SLIPWAY_DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)('setpriv', asked, { env }).catch((error) => error);
  const { findings } = JSON.parse(stdout) as { findings: { name: string; detail: string }[] };
  const { detail } = findings.find(({ name }) => name === 'agent isolation')!;
  expect(detail).toContain(`agents cannot enter ${above}, which contains SLIPWAY_DATA_DIR`);
  await rm(above, { recursive: true });
});
