import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, processIdentity, type ProcessRecord } from './process-identity.ts';
import { EmbeddedStartFailed } from './start-failed.ts';

const recordPath = (dataDir: string, service: string) =>
  join(dataDir, 'run', `${service.toLowerCase()}.json`);

/** Records the process of a data directory, so that the next start can find it if it is orphaned. */
export async function recordProcess(dataDir: string, service: string, pid: number): Promise<void> {
  const path = recordPath(dataDir, service);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.part`, JSON.stringify({ pid, identity: (await processIdentity(pid)) ?? '' }));
  await rename(`${path}.part`, path);
}

/**
 * Ends a process orphaned by an earlier start, whose parent and possibly guard were killed. Throws
 * EmbeddedStartFailed if it does not end.
 */
export async function endLeftover(
  dataDir: string,
  service: string,
  signal: 'SIGINT' | 'SIGTERM',
  onProgress: (message: string) => void,
): Promise<void> {
  const path = recordPath(dataDir, service);
  const left = await readRecord(path);
  if (left && (await isAlive(left))) {
    onProgress(`Stopping an orphaned ${service} (pid ${left.pid})`);
    if (!(await endProcess(left, signal, 10_000)) && !(await endProcess(left, 'SIGKILL', 5_000))) {
      throw new EmbeddedStartFailed(
        `An orphaned ${service} (pid ${left.pid}) did not end. Stop it manually.`,
      );
    }
  }
  await rm(path, { force: true });
}

async function readRecord(path: string): Promise<ProcessRecord | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ProcessRecord;
  } catch {
    return undefined;
  }
}

/** Returns whether it ended within `withinMs`. */
async function endProcess(left: ProcessRecord, signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
  try {
    process.kill(left.pid, signal);
  } catch {
    return !(await isAlive(left));
  }
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(25)) {
    if (!(await isAlive(left))) return true;
  }
  return false;
}
