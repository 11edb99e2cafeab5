import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../dist/src/platform/embedded/embedded.js';
import { installFenceTools } from './fence-tools.js';
import { removeEndedDeployments } from './ended-deployments.js';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/** Where the services keep their data: in memory where there is room, as nothing of it is to last, and disks are slow. */
async function dataFolder() {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return mkdtemp(join(bavail * bsize >= ROOM_BYTES ? MEMORY : tmpdir(), 'slipway-test-'));
}

/** One Postgres and one Temporal for the whole test run; every test file makes its own database and task queue. */
export default async function setUp() {
  // Of the run that started this one.
  if (process.env.TEST_DATABASE_URL) return;
  const dataDir = await dataFolder();
  const [embedded] = await Promise.all([startEmbedded({ dataDir, onProgress() {} }), installFenceTools()]);
  process.env.TEST_DATABASE_URL = embedded.databaseUrl;
  process.env.TEST_TEMPORAL_ADDRESS = embedded.temporalAddress;
  process.env.TEST_ENDED_DEPLOYMENTS = join(dataDir, 'ended');
  const stopRemoving = await removeEndedDeployments(
    process.env.TEST_ENDED_DEPLOYMENTS,
    embedded.temporalAddress,
  );
  globalThis.stopTestServices = async () => {
    await stopRemoving();
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
