import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './until.ts';

/** Deletes the store of an embedded Temporal and kills it: it restarts by itself with an empty one. */
export async function emptyTemporal(dataDir: string): Promise<void> {
  const pid = async () => {
    const record = await readFile(join(dataDir, 'run', 'temporal.json'), 'utf8').catch(() => '{}');
    return (JSON.parse(record) as { pid?: number }).pid;
  };
  const before = (await pid())!;
  const folder = join(dataDir, 'temporal');
  // Open files live on in the process that goes next.
  for (const name of await readdir(folder)) if (name.startsWith('temporal.db')) await rm(join(folder, name));
  process.kill(before, 'SIGKILL');
  await until('Temporal is started again', async () => {
    const now = await pid();
    return now !== undefined && now !== before;
  });
}
