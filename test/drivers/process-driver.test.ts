import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { databaseName, ensureAgentDatabase } from '../../src/control-plane/drivers/agent-database.ts';
import { findInstance, insertInstance } from '../../src/control-plane/drivers/instance-repository.ts';
import { ProcessDriver } from '../../src/control-plane/drivers/process/process-driver.ts';
import { Supervisor } from '../../src/control-plane/drivers/supervisor.ts';
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

/** The process that serves, below the leader of its group. */
async function agentPid(leader: number): Promise<number> {
  const children = await readFile(`/proc/${leader}/task/${leader}/children`, 'utf8');
  const [child] = children.trim().split(' ').filter(Boolean).map(Number);
  return child === undefined ? leader : agentPid(child);
}

test('a revision whose source is an image is refused, with what would run it', async () => {
  const { driver, request, revision } = await deployable();
  const image = { ...revision, source: 'external_container' as const, artifact: null };
  await expect(driver.start({ ...request, revision: image })).rejects.toThrow(
    /docker or the kubernetes driver/,
  );
  expect(await findInstance(options().db, { revision_id: revision.id, replica: 0 })).toBeUndefined();
});

test('the role of a deployment reaches its own database and neither ours nor another one', async () => {
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

  // Whatever an operator has undone is done again.
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

test('where more revisions drain than usual, there are connections for each', async () => {
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
