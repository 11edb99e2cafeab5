// Only Slipway's embedded services, in a separate process that tests may kill.
// Arguments: the data directory. Writes its progress, then one line of JSON; SIGTERM stops it cleanly.
import { startEmbedded } from '../../src/platform/embedded/embedded.ts';

const [dataDir = ''] = process.argv.slice(2);
try {
  const { stop, ...addresses } = await startEmbedded({
    dataDir,
    onProgress: (message) => console.log(message),
  });
  process.once('SIGTERM', () => void stop());
  console.log(JSON.stringify(addresses));
} catch (error) {
  console.log((error as Error).message);
  process.exitCode = 1;
}
