import { execFile } from 'node:child_process';
import { chown, lchown, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../platform/package-root.ts';

const execute = promisify(execFile);

export interface Enclosed {
  /** Folder of the platform's files, which a build does not see. */
  root: string;
  work: string;
  cache: string;
  uid: number;
  memoryMb: number;
  /** Within the project. */
  cwd: string;
  command: string[];
}

/** A command as it is to be started, and where its folders are as it sees them. */
export interface EnclosedCommand {
  command: string;
  args: string[];
  cwd: string;
  places: { work: string; cache: string };
}

export interface Enclosure {
  isolated: boolean;
  /** Why it is not. */
  why?: string;
  enclose(what: Enclosed): Promise<EnclosedCommand>;
}

// Always the same, so that a path that is compiled in is the same on every build.
const INSIDE = '/run/slipway-build';
const LARGEST_FILE_BLOCKS = 16 * 1024 * 1024;

const limits = (memoryMb: number): string =>
  [`-c 0`, `-f ${LARGEST_FILE_BLOCKS}`, `-d ${memoryMb * 1024}`]
    .map((limit) => `ulimit ${limit} 2>/dev/null;`)
    .join(' ');

// $1 data folder, $2 work, $3 cache, $4 uid, $5 folder; the rest is the command. The first process of the namespace
// stays until the command ends: with it, everything else in there is gone.
const script = (memoryMb: number): string => `set -e
mount --bind "$2" ${INSIDE}
mount --bind "$3" ${INSIDE}/cache
mount -t tmpfs -o mode=755,size=1m tmpfs "$1"
cd ${INSIDE}/source/"$5"
uid=$4
shift 5
set +e
${limits(memoryMb)} ulimit -p 1024 2>/dev/null
nice -n 10 setpriv --reuid "$uid" --regid "$uid" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"
exit $?`;

const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--ipc', '--uts'];

const isolated: Enclosure = {
  isolated: true,
  async enclose({ root, work, cache, uid, memoryMb, cwd, command }) {
    await mkdir(INSIDE, { recursive: true });
    await mkdir(join(work, 'cache'), { recursive: true });
    await giveTo(uid, work);
    await giveTo(uid, cache);
    const args = [root, work, cache, String(uid), cwd, ...command];
    return {
      command: 'unshare',
      args: [...NAMESPACES, '--', '/bin/sh', '-c', script(memoryMb), 'slipway-build', ...args],
      cwd: '/',
      places: { work: INSIDE, cache: join(INSIDE, 'cache') },
    };
  },
};

const plain = (why: string): Enclosure => ({
  isolated: false,
  why,
  enclose: ({ work, cache, memoryMb, cwd, command }) =>
    Promise.resolve({
      command: '/bin/sh',
      args: ['-c', `${limits(memoryMb)} exec "$@"`, 'slipway-build', ...command],
      cwd: join(work, 'source', cwd),
      places: { work, cache },
    }),
});

/** Hands a folder and all it holds to a user, once; links are not followed. */
async function giveTo(uid: number, folder: string): Promise<void> {
  if ((await stat(folder)).uid === uid) return;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    await lchown(join(entry.parentPath, entry.name), uid, uid);
  await chown(folder, uid, uid);
}

const found = new Map<string, Promise<Enclosure>>();

/** What this machine allows, found out by trying. */
export function enclosure(root: string): Promise<Enclosure> {
  const known = found.get(root) ?? tryOut(root);
  found.set(root, known);
  return known;
}

async function tryOut(root: string): Promise<Enclosure> {
  if (process.platform !== 'linux') return plain('it needs Linux');
  if (process.getuid?.() !== 0) return plain('the platform is not run by root');
  await mkdir(root, { recursive: true });
  const work = await mkdtemp(join(root, 'enclosure-'));
  try {
    for (const folder of ['source', 'cache', 'downloads']) await mkdir(join(work, folder));
    const reads = fileURLToPath(new URL('package.json', packageRoot));
    const { command, args, cwd } = await isolated.enclose({
      root,
      work,
      cache: join(work, 'downloads'),
      uid: 1_000_000_000,
      memoryMb: 1_024,
      cwd: '.',
      command: [process.execPath, '-e', 'require("fs").readFileSync(process.argv[1])', reads],
    });
    await execute(command, args, { cwd, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, timeout: 10_000 });
    return isolated;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    return plain(stderr?.trim().split('\n').at(-1) || 'namespaces cannot be made here');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
