// Only a worker's process driver, in a separate process that tests may kill.
// Argument: JSON with its options. Starts the revision, prints its address, and keeps running.
import { Client, Connection } from '@temporalio/client';
import pino from 'pino';
import { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { ProcessDriver } from '../../src/control-plane/drivers/process/process-driver.ts';
import { findRevision } from '../../src/control-plane/records/revision-repository.ts';
import { openEnvironment } from '../../src/control-plane/secrets/environment.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { readSettings } from '../../src/platform/settings.ts';

const { revision_id, databaseUrl, address, dataDir, host, key } = JSON.parse(process.argv[2]!) as Record<
  'revision_id' | 'databaseUrl' | 'address' | 'dataDir' | 'host' | 'key',
  string
>;
const db = openDatabase({ url: databaseUrl });
const box = new SealedBox([key]);
const driver = new ProcessDriver({
  config: readSettings(ControlPlaneSettings, {}),
  db,
  box,
  log: pino({ level: 'silent' }),
  databaseUrl,
  temporal: { address, namespace: 'default' },
  client: new Client({ connection: await Connection.connect({ address }) }),
  dataDir,
  host,
});
const revision = (await findRevision(db, revision_id))!;
const { url } = await driver.start({
  revision,
  environment: openEnvironment(box, revision.id, revision.environment),
  replicas: 1,
  log: () => {},
  signal: new AbortController().signal,
});
console.log(url);
setInterval(() => {}, 60_000);
