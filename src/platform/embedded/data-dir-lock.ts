import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, processIdentity, type ProcessRecord } from './process-identity.ts';
import { EmbeddedStartFailed } from './start-failed.ts';

export interface DataDirLock {
  release(): Promise<void>;
}

/**
 * Locks the data directory for this process with a lock file and takes over locks of dead processes. Protects within
 * one machine, not across network disks. Throws EmbeddedStartFailed if a living process holds the lock.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const path = join(dataDir, 'slipway.lock');
  const mine: ProcessRecord = { pid: process.pid, identity: (await processIdentity(process.pid)) ?? '' };
  const text = JSON.stringify(mine);
  for (let attempt = 0; attempt < 20; attempt++) {
    if (await createWhole(path, text)) {
      return { release: async () => void ((await read(path)) === text && (await rm(path, { force: true }))) };
    }
    const held = await read(path);
    if (held === undefined) continue;
    const holder = parse(held);
    if (holder && (await isAlive(holder))) {
      throw new EmbeddedStartFailed(
        `The data directory ${dataDir} is in use by another Slipway (pid ${holder.pid}). Stop it, or set SLIPWAY_DATA_DIR to another directory.`,
      );
    }
    await discard(path, held);
    await sleep(10);
  }
  throw new EmbeddedStartFailed(
    `Could not acquire the lock file ${path}. Remove it if no Slipway is running.`,
  );
}

/** Links a complete file into place, so that readers never see a partial lock. Returns false if a lock exists. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o644 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Moves a stale lock away, and back if another process has replaced it by a live one. */
async function discard(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    if ((await read(aside)) !== stale) await link(aside, path);
  } catch {
    // Another process moved it first; the next attempt re-reads the lock.
  } finally {
    await rm(aside, { force: true });
  }
}

async function read(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

function parse(text: string): ProcessRecord | undefined {
  try {
    const { pid, identity } = JSON.parse(text) as ProcessRecord;
    return Number.isInteger(pid) && pid > 0 ? { pid, identity } : undefined;
  } catch {
    return undefined;
  }
}
