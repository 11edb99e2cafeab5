import { chmod, chown, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { InstanceKey } from '../instance-repository.ts';

/** Where the process of a replica has its things on this host. */
export interface InstanceFolder {
  dir: string;
  /** The agent's own, to write to. */
  work: string;
  /** What it prints. */
  output: string;
  /** The exit code of its last end. */
  exit: string;
}

/** What the folder of a replica, and its control group, are called. */
export const instanceName = ({ revision_id, replica }: InstanceKey): string => `${revision_id}-${replica}`;

export function instanceFolder(dataDir: string, key: InstanceKey): InstanceFolder {
  const dir = join(resolve(dataDir), 'instances', instanceName(key));
  return { dir, work: join(dir, 'work'), output: join(dir, 'output.log'), exit: join(dir, 'exit-code') };
}

/** Makes the folder for a new process: an empty log, no exit code. Passable by others, readable by its owner alone. */
export async function prepareFolder(
  { dir, work, output, exit }: InstanceFolder,
  uid: number | undefined,
): Promise<void> {
  await mkdir(work, { recursive: true, mode: 0o700 });
  if (uid !== undefined) {
    // The agent must be able to pass, and to see nothing of the others.
    const dataDir = join(dir, '..', '..');
    for (const passed of [dataDir, join(dataDir, 'artifacts'), join(dir, '..'), dir])
      await chmod(passed, 0o711);
    await chown(work, uid, uid);
  }
  await rm(exit, { force: true });
  await (await open(output, 'w', 0o600)).close();
}

/** The code the last process ended with, 128 and the signal's number where it was killed; undefined while unknown. */
export async function readExitCode({ exit }: InstanceFolder): Promise<number | undefined> {
  const text = await readFile(exit, 'utf8').catch(() => '');
  return text.trim() ? Number(text) : undefined;
}

export async function removeFolder({ dir }: InstanceFolder): Promise<void> {
  await rm(dir, { recursive: true, force: true });
}
