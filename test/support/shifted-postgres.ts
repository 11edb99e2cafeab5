import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnGuarded } from '../../src/platform/embedded/guarded-process.ts';
import { accepts, choosePort, LOOPBACK } from '../../src/platform/embedded/ports.ts';
import { findPostgresBinaries } from '../../src/platform/embedded/postgres-binaries.ts';
import { DATABASE, openCluster, ROLE } from '../../src/platform/embedded/postgres-cluster.ts';
import { prepareOwnedDir } from '../../src/platform/embedded/postgres-owner.ts';
import { postgresSettings } from '../../src/platform/embedded/postgres-settings.ts';
import { until } from './until.ts';

const FIRST_PORT = 16_000;

/** The embedded Postgres with a clock shifted by `env`. */
export async function startShiftedPostgres(env: Record<string, string>) {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-shifted-'));
  const parent = join(dir, 'postgres');
  const owner = await prepareOwnedDir(parent);
  const binaries = await findPostgresBinaries(process.env, owner, () => {});
  const { cluster, password } = await openCluster(parent, join(dir, 'password'), binaries, owner, () => {});
  const port = await choosePort('Postgres', FIRST_PORT);
  const log = await open(join(dir, 'postgres.log'), 'a');
  const server = await spawnGuarded(
    {
      command: binaries.postgres,
      args: ['-D', cluster.dirArgument, ...postgresSettings(port), '-c', 'fsync=off'],
      cwd: cluster.dir,
      env: { ...cluster.env, ...env },
      owner,
      log: log.fd,
      signal: 'INT',
      graceSeconds: 20,
    },
    async () => {},
  );
  await until('Postgres accepts connections', () => accepts(port));
  return {
    url: `postgresql://${ROLE}:${password}@${LOOPBACK}:${port}/${DATABASE}`,
    async stop() {
      await server.stop();
      await log.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
