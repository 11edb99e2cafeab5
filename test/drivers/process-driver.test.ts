import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { databaseName, ensureAgentDatabase } from '../../src/control-plane/drivers/agent-database.ts';
import {
  deleteInstance,
  findInstance,
  insertInstance,
  noteStarted,
} from '../../src/control-plane/drivers/instance-repository.ts';
import { ProcessDriver } from '../../src/control-plane/drivers/process/process-driver.ts';
import { ResourceUsage } from '../../src/control-plane/drivers/process/resource-usage.ts';
import { Supervisor } from '../../src/control-plane/drivers/supervisor.ts';
import { insertDeployable } from '../control-plane/control-plane-fixture.ts';
import { until } from '../faults/cluster.ts';
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

test('what a replica uses of processors and memory is noted', async () => {
  const { db, host } = options();
  const { id, deployment_id } = await insertDeployable(options(), 'sha256:none');
  const key = { revision_id: id, replica: 0 };
  const url = 'http://127.0.0.1:1';
  const child = spawn(process.execPath, ['-e', 'const held = Buffer.alloc(1e8, 1); for (;;) held[0]++;']);
  await insertInstance(db, { ...key, deployment_id, driver: 'process', host, port: 1, url });
  await noteStarted(db, key, { pid: child.pid!, identity: 'it', port: 1, url });
  const usage = new ResourceUsage(options());
  await until('both are noted', 10_000, async () => {
    await usage.measure();
    const { rows } = await db.query<{ cpu: number | null; memory_mb: number | null }>(
      'select cpu, memory_mb from control_plane.instance where revision_id = $1',
      [id],
    );
    const { cpu, memory_mb } = rows[0]!;
    return (cpu ?? 0) > 0 && (memory_mb ?? 0) > 100 && memory_mb! < 400;
  });
  child.kill('SIGKILL');
  await deleteInstance(db, key);
});

test('the role of a deployment reaches its own database and neither ours nor another one', async () => {
  const [one, other] = [await deployable(), await deployable()];
  const url = await ensureAgentDatabase(options(), one.revision);
  await ensureAgentDatabase(options(), other.revision);
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
