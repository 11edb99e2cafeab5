import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { blockingDir, isUsableBy, type Owner } from './postgres-owner.ts';
import { EmbeddedStartFailed, oneLine } from './start-failed.ts';

/** Common configuration of the Postgres processes of a data directory. */
export interface Cluster {
  /** Cluster directory and working directory of its processes. */
  dir: string;
  /** Data directory argument for Postgres. */
  dirArgument: string;
  owner: Owner | undefined;
  binaries: PostgresBinaries;
  env: Record<string, string>;
}

export const ROLE = 'slipway';
export const DATABASE = 'slipway';
const ENCODING = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/**
 * Opens the cluster in `<parent>/data`. The first start creates it with a role and database named slipway. `parent`
 * must belong to the owner. The password is stored in `passwordFile` and reset if that file is missing.
 */
export async function openCluster(
  parent: string,
  passwordFile: string,
  binaries: PostgresBinaries,
  owner: Owner | undefined,
  onProgress: (message: string) => void,
): Promise<{ cluster: Cluster; password: string }> {
  const at = (dir: string) => describeCluster(dir, binaries, owner);
  const dir = join(parent, 'data');
  const madeBy = (await readFile(join(dir, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (madeBy && madeBy !== binaries.version.split('.')[0]) {
    throw new EmbeddedStartFailed(
      `${dir} was created by Postgres ${madeBy} and cannot be used by ${binaries.version}: dump it with the Slipway that created it, or set SLIPWAY_DATA_DIR to another directory.`,
    );
  }
  const known = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
  const password = known || randomBytes(24).toString('base64url');
  if (!known) await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });

  if (!madeBy) {
    onProgress(`Creating the Postgres cluster in ${dir}`);
    await removeDrafts(parent);
    const draft = join(parent, `draft-${randomUUID()}`);
    await mkdir(draft, { mode: 0o700 });
    if (owner) await chown(draft, owner.uid, owner.gid);
    const cluster = await at(draft);
    // Only password connections over loopback are allowed. The password is set below.
    const auth = ['--auth-local=reject', '--auth-host=scram-sha-256', `--username=${ROLE}`];
    await runTool(cluster, binaries.initdb, [
      '-D',
      cluster.dirArgument,
      ...auth,
      ...ENCODING,
      '--no-instructions',
    ]);
    await runSql(cluster, `create database ${DATABASE};\n${setPassword(password)}`);
    await rename(draft, dir);
  } else if (!known) {
    onProgress(`Setting a new Postgres password, because ${passwordFile} was missing`);
    await runSql(await at(dir), setPassword(password));
  }
  return { cluster: await at(dir), password };
}

const setPassword = (password: string) => `alter role ${ROLE} password '${password}';\n`;

async function describeCluster(
  dir: string,
  binaries: PostgresBinaries,
  owner: Owner | undefined,
): Promise<Cluster> {
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' };
  if (!owner || (await isUsableBy(owner, dir, '-x'))) return { dir, dirArgument: dir, owner, binaries, env };
  // The owner cannot traverse a parent directory such as /root. Postgres stays in its working directory, which Linux
  // exposes by a path without parents.
  if (process.platform === 'linux') return { dir, dirArgument: '/proc/self/cwd', owner, binaries, env };
  throw new EmbeddedStartFailed(
    `Postgres runs as user ${owner.uid}, who cannot access ${await blockingDir(owner, dir)}. Allow access (chmod o+x), set SLIPWAY_DATA_DIR to another directory, or start as an ordinary user.`,
  );
}

async function removeDrafts(parent: string): Promise<void> {
  const drafts = (await readdir(parent)).filter((name) => name.startsWith('draft-'));
  // An initdb that outlived a killed start may still write here; the next start removes the rest.
  await Promise.all(
    drafts.map((name) => rm(join(parent, name), { recursive: true, force: true }).catch(() => {})),
  );
}

/** Runs one statement per line in single-user mode, which needs no server or password. */
async function runSql(cluster: Cluster, lines: string): Promise<void> {
  await runTool(
    cluster,
    cluster.binaries.postgres,
    ['--single', '-D', cluster.dirArgument, 'postgres'],
    lines,
  );
}

/** Rejects with the program's last output if it fails. */
function runTool(cluster: Cluster, program: string, args: string[], input = ''): Promise<void> {
  const options = { ...cluster.owner, cwd: cluster.dir, env: cluster.env };
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, _stdout, stderr) => {
      const output = stderr.trim().split('\n').slice(-3).join('; ');
      const failed = error ?? /^.*(?:FATAL|ERROR|PANIC):.*$/m.exec(stderr);
      if (!failed) return resolve();
      reject(
        new EmbeddedStartFailed(`${basename(program)} failed in ${cluster.dir}: ${output || oneLine(error)}`),
      );
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
