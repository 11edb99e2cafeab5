import { chmod, chown, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ProcessRecord } from '../../../platform/embedded/process-identity.ts';
import { removeTree } from '../../builds/remove-tree.ts';
import type { InstanceKey } from '../instance-repository.ts';

/** Files of a replica's process on this host. */
export interface InstanceFolder {
  dir: string;
  /** Folder the agent can write to. */
  work: string;
  /** Folder of its server. */
  server: string;
  /** File with its output. */
  output: string;
  /** File with its last exit code. */
  exit: string;
  /** File that records the last process started, for cleaning up a folder without a row. */
  leader: string;
}

/** Name of a replica's folder and control group. */
export const instanceName = ({ revision_id, replica }: InstanceKey): string => `${revision_id}-${replica}`;

const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(\d+)$/;

const instancesIn = (dataDir: string): string => join(resolve(dataDir), 'instances');

export function instanceFolder(dataDir: string, key: InstanceKey): InstanceFolder {
  const dir = join(instancesIn(dataDir), instanceName(key));
  const place = (name: string): string => join(dir, name);
  return {
    dir,
    work: place('work'),
    server: place('server'),
    output: place('output.log'),
    exit: place('exit-code'),
    leader: place('leader.json'),
  };
}

/** Lists the replicas that have folders. */
export async function listFolders(dataDir: string): Promise<InstanceKey[]> {
  const names = await readdir(instancesIn(dataDir)).catch(() => []);
  return names.flatMap((name) => {
    const [, revision_id, replica] = NAME.exec(name) ?? [];
    return revision_id ? { revision_id, replica: Number(replica) } : [];
  });
}

/** Records the process before it is released. */
export const noteLeader = ({ leader }: InstanceFolder, host: string, record: ProcessRecord): Promise<void> =>
  writeFile(leader, JSON.stringify({ host, pid: record.pid, identity: record.identity }), { mode: 0o600 });

/** Undefined if there is none, or if it belongs to another host, as folders may be shared. */
export async function readLeader(
  { leader }: InstanceFolder,
  host: string,
): Promise<ProcessRecord | undefined> {
  const text = await readFile(leader, 'utf8').catch(() => undefined);
  const record = text && (JSON.parse(text) as ProcessRecord & { host: string });
  return record && record.host === host ? record : undefined;
}

/**
 * Prepares the folder for a new process: an empty log, no exit code. With `passes`, others can traverse the folder, but
 * still not read it.
 */
export async function prepareFolder(
  { dir, work, server, output, exit }: InstanceFolder,
  { uid, passes }: { uid: number | undefined; passes: boolean },
): Promise<void> {
  for (const own of [work, server]) await mkdir(own, { recursive: true, mode: 0o700 });
  const dataDir = join(dir, '..', '..');
  if (passes)
    for (const passed of [dataDir, join(dataDir, 'artifacts'), join(dir, '..'), dir])
      await chmod(passed, 0o711);
  if (uid !== undefined) await chown(work, uid, uid);
  await rm(exit, { force: true });
  await (await open(output, 'w', 0o600)).close();
}

/** Exit code of the last process; 128 plus the signal's number if it was killed; undefined if unknown. */
export async function readExitCode({ exit }: InstanceFolder): Promise<number | undefined> {
  const text = await readFile(exit, 'utf8').catch(() => '');
  return text.trim() ? Number(text) : undefined;
}

export async function removeFolder({ dir }: InstanceFolder): Promise<void> {
  await removeTree(dir);
}
