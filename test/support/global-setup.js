import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../dist/src/platform/embedded/embedded.js';
import { removeEndedDeployments } from './ended-deployments.js';

/** One Postgres and one Temporal for the whole test run; every test file makes its own database and task queue. */
export default async function setUp() {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-test-'));
  const embedded = await startEmbedded({ dataDir, onProgress() {} });
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
