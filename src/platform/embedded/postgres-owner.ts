import { execFile } from 'node:child_process';
import { chown, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedStartFailed, oneLine } from './start-failed.ts';

const run = promisify(execFile);

/** An ordinary user of this machine, by numbers. */
export interface Owner {
  uid: number;
  gid: number;
}

/** Postgres refuses to run as root. Both are ordinary users that need no account to be made. */
const CANDIDATES = ['postgres', 'nobody'];

/**
 * Makes the directory and says who Postgres runs as there: undefined for ourselves, or an ordinary user when we
 * are root, the one who owns the directory already if there is one.
 */
export async function prepareOwnedDir(dir: string): Promise<Owner | undefined> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const found = await stat(dir);
  const me = process.getuid?.();
  if (me !== 0) {
    if (found.uid === me) return undefined;
    throw new EmbeddedStartFailed(
      `${dir} belongs to user ${found.uid}, not to ${me}: it was made by another user or by root. Start as that user, change its owner, or set SLIPWAY_DATA_DIR to another directory.`,
    );
  }
  if (found.uid !== 0) return { uid: found.uid, gid: found.gid };
  const owner = await ordinaryUser();
  try {
    await chown(dir, owner.uid, owner.gid);
  } catch (error) {
    throw new EmbeddedStartFailed(
      `${dir} cannot be given to the user Postgres runs as (${oneLine(error)}): start as an ordinary user, or set DATABASE_URL.`,
    );
  }
  return owner;
}

async function ordinaryUser(): Promise<Owner> {
  for (const name of CANDIDATES) {
    try {
      const [uid, gid] = await Promise.all([numericId('-u', name), numericId('-g', name)]);
      return { uid, gid };
    } catch {
      // No such user here.
    }
  }
  throw new EmbeddedStartFailed(
    `Postgres does not run as root, and there is no user ${CANDIDATES.join(' or ')} to run it as: start as an ordinary user, or set DATABASE_URL.`,
  );
}

async function numericId(flag: '-u' | '-g', name: string): Promise<number> {
  // macOS prints nobody's id as -2.
  return Number((await run('id', [flag, name])).stdout) >>> 0;
}

/** Whether the owner can use the path: the system is asked as that user, so access lists count as well. */
export async function isUsableBy(owner: Owner, path: string, test: '-x' | '-r'): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', `test ${test} "$1"`, 'sh', path], { ...owner, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/** The topmost directory on the way to the path that the owner cannot pass, for a message that names it. */
export async function blockingDir(owner: Owner, path: string): Promise<string> {
  let blocked = path;
  for (let dir = path; dir !== dirname(dir); dir = dirname(dir)) {
    if (!(await isUsableBy(owner, dir, '-x'))) blocked = dir;
  }
  return blocked;
}
