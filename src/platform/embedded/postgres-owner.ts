import { execFile } from 'node:child_process';
import { chown, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedStartFailed, oneLine } from './start-failed.ts';

const run = promisify(execFile);

/** User and group id of an unprivileged user. */
export interface Owner {
  uid: number;
  gid: number;
}

/** Postgres refuses to run as root. These unprivileged users usually exist already. */
const CANDIDATES = ['postgres', 'nobody'];

/**
 * Creates the directory and returns the user to run Postgres as: undefined for the current user, or, for root, an
 * unprivileged user, preferably the directory's owner.
 */
export async function prepareOwnedDir(dir: string): Promise<Owner | undefined> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const found = await stat(dir);
  const me = process.getuid?.();
  if (me !== 0) {
    if (found.uid === me) return undefined;
    throw new EmbeddedStartFailed(
      `${dir} belongs to user ${found.uid}, not to ${me}. Start as that user, change its owner, or set SLIPWAY_DATA_DIR to another directory.`,
    );
  }
  if (found.uid !== 0) return { uid: found.uid, gid: found.gid };
  const owner = await ordinaryUser();
  try {
    await chown(dir, owner.uid, owner.gid);
  } catch (error) {
    throw new EmbeddedStartFailed(
      `Could not change the owner of ${dir} to the user that runs Postgres (${oneLine(error)}). Start as an ordinary user, or set DATABASE_URL.`,
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
      // No such user.
    }
  }
  throw new EmbeddedStartFailed(
    `Postgres does not run as root, and there is no user ${CANDIDATES.join(' or ')} to run it as: start as an ordinary user, or set DATABASE_URL.`,
  );
}

async function numericId(flag: '-u' | '-g', name: string): Promise<number> {
  // macOS prints -2 as the id of the user `nobody`.
  return Number((await run('id', [flag, name])).stdout) >>> 0;
}

/** Whether the owner can access the path. Tests as that user, to respect access control lists. */
export async function isUsableBy(owner: Owner, path: string, test: '-x' | '-r'): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', `test ${test} "$1"`, 'sh', path], { ...owner, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/** The topmost directory on the path that the owner cannot traverse. */
export async function blockingDir(owner: Owner, path: string): Promise<string> {
  let blocked = path;
  for (let dir = path; dir !== dirname(dir); dir = dirname(dir)) {
    if (!(await isUsableBy(owner, dir, '-x'))) blocked = dir;
  }
  return blocked;
}
