import { rm } from 'node:fs/promises';
import { isAlive, type ProcessRecord } from '../../../platform/embedded/process-identity.ts';
import type { DriverOptions } from '../driver-options.ts';
import { findInstance, type InstanceKey, type InstanceRow } from '../instance-repository.ts';
import { killGroup } from './held-process.ts';
import { instanceFolder, instanceName, listFolders, readLeader, removeFolder } from './instance-folder.ts';
import { openMemoryGroup } from './memory-group.ts';

type Options = Pick<DriverOptions, 'db' | 'dataDir' | 'host'>;
type Killed = InstanceKey & Partial<Pick<InstanceRow, 'pid' | 'identity'>>;

/** Kills all processes of a replica on this host. */
export async function killInstance(options: Omit<Options, 'db'>, instance: Killed): Promise<void> {
  const group = await openMemoryGroup(instanceName(instance));
  await killGroup(await leaderOf(options, instance), async () => (await group?.pids()) ?? []);
  await rm(instanceFolder(options.dataDir, instance).leader, { force: true });
  await group?.remove();
}

/** Kills replicas that have a folder on this host but no row; returns their number. */
export async function sweepInstances({ db, dataDir, host }: Options): Promise<number> {
  let removed = 0;
  for (const key of await listFolders(dataDir)) {
    const folder = instanceFolder(dataDir, key);
    if (!(await readLeader(folder, host)) || (await findInstance(db, key))) continue;
    await killInstance({ dataDir, host }, key);
    await removeFolder(folder);
    removed++;
  }
  return removed;
}

/** A row without a process may have replaced a lost row whose process is still running. */
async function leaderOf(
  { dataDir, host }: Omit<Options, 'db'>,
  { pid, identity, ...key }: Killed,
): Promise<ProcessRecord | undefined> {
  if (pid) return { pid, identity: identity ?? '' };
  const noted = await readLeader(instanceFolder(dataDir, key), host);
  return noted && (await isAlive(noted)) ? noted : undefined;
}
