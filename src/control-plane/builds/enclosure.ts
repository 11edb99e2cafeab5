import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../platform/package-root.ts';
import { REPLACE_RUN, STAGE } from '../users/own-run.ts';
import { READ_ENVIRONMENT } from '../../platform/export-script.ts';
import { removeTree } from './remove-tree.ts';

const execute = promisify(execFile);

export interface Enclosed {
  /** The platform's data folder, hidden from builds. */
  root: string;
  work: string;
  cache: string;
  uid: number;
  memoryMb: number;
  /** Relative to the project. */
  cwd: string;
  command: string[];
  /** Command prefix that fences the network. */
  fence: string[];
}

/** A command ready to start, with its folders as it sees them. */
export interface EnclosedCommand {
  command: string;
  args: string[];
  cwd: string;
  places: { work: string; cache: string };
}

export interface Enclosure {
  isolated: boolean;
  /** Why the machine can't enclose builds. */
  why?: string;
  /** The command reads its environment from standard input (src/platform/export-script.ts). */
  enclose(what: Enclosed): Promise<EnclosedCommand>;
}

// Constant, because builds may compile paths in.
const NAME = 'slipway-build';
const INSIDE = `/run/${NAME}`;
const LARGEST_FILE_BLOCKS = 16 * 1024 * 1024;
/** Folders owned by the build's user. The work folder itself isn't, so that none can be swapped. */
const OWN = ['source', 'home', 'tmp'];

const limits = (memoryMb: number): string =>
  [`-c 0`, `-f ${LARGEST_FILE_BLOCKS}`, `-d ${memoryMb * 1024}`]
    .map((limit) => `ulimit ${limit} 2>/dev/null;`)
    .join(' ');

// Applied only after dropping root, which must not load libraries the variables name, nor enter folders that links
// lead to.
const BECOME = `${READ_ENVIRONMENT}
cd "$1" || exit 126
shift
exec "$@" </dev/null`;

// $1 data folder, $2 work, $3 cache, $4 uid, then the command. When the namespace's first process ends, the kernel
// ends all others in it.
const enter = (memoryMb: number): string => `set -e
[ ! -e /etc/passwd ] || mount --bind "$2/passwd" /etc/passwd
mkdir -p ${STAGE}
mount -t tmpfs -o mode=755,size=1m tmpfs ${STAGE}
mkdir ${STAGE}/${NAME}
mount --bind "$2" ${STAGE}/${NAME}
mount --bind "$3" ${STAGE}/${NAME}/cache
mount -t tmpfs -o mode=755,size=1m tmpfs "$1"
${REPLACE_RUN}
cd /
uid=$4
shift 4
set +e
${limits(memoryMb)} ulimit -p 1024 2>/dev/null
nice -n 10 setpriv --reuid "$uid" --regid "$uid" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"
exit $?`;

const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--ipc', '--uts'];

const isolated: Enclosure = {
  isolated: true,
  async enclose({ root, work, cache, uid, memoryMb, cwd, command, fence }) {
    await mkdir(join(work, 'cache'), { recursive: true });
    await chmod(work, 0o755);
    for (const folder of [...OWN.map((name) => join(work, name)), cache]) await giveTo(uid, folder);
    await writeFile(join(work, 'passwd'), await usersWith(uid));
    const become = ['/bin/sh', '-c', BECOME, 'slipway-build', join(INSIDE, 'source', cwd), ...command];
    const args = [root, work, cache, String(uid), ...become];
    const script = ['/bin/sh', '-c', enter(memoryMb), 'slipway-build', ...args];
    const [program = '', ...words] = [...fence, 'unshare', ...NAMESPACES, '--', ...script];
    return {
      command: program,
      args: words,
      cwd: '/',
      places: { work: INSIDE, cache: join(INSIDE, 'cache') },
    };
  },
};

/** Adds the build's user to a copy of /etc/passwd: ssh requires a user name. */
async function usersWith(uid: number): Promise<string> {
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return `${users.trimEnd()}\nslipway-build:x:${uid}:${uid}::${INSIDE}/home:/bin/sh\n`;
}

const plain = (why: string): Enclosure => ({
  isolated: false,
  why,
  enclose: ({ work, cache, memoryMb, cwd, command }) => {
    const become = [BECOME, 'slipway-build', join(work, 'source', cwd), ...command];
    return Promise.resolve({
      command: '/bin/sh',
      args: ['-c', `${limits(memoryMb)} exec /bin/sh -c "$@"`, 'slipway-build', ...become],
      cwd: '/',
      places: { work, cache },
    });
  },
});

/** Hands a folder and its contents to a user. Doesn't follow links. */
export async function giveTo(uid: number, folder: string): Promise<void> {
  if ((await stat(folder)).uid === uid) return;
  await execute('chown', ['-RhP', '--', `${uid}:${uid}`, folder]);
}

const found = new Map<string, Promise<Enclosure>>();

/** Tries what the machine allows. */
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
    for (const folder of [...OWN, 'downloads']) await mkdir(join(work, folder));
    const reads = fileURLToPath(new URL('package.json', packageRoot));
    const { command, args, cwd } = await isolated.enclose({
      root,
      work,
      cache: join(work, 'downloads'),
      uid: 1_000_000_000,
      memoryMb: 1_024,
      cwd: '.',
      fence: [],
      command: [process.execPath, '-e', 'require("fs").readFileSync(process.argv[1])', reads],
    });
    const tried = execute(command, args, {
      cwd,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      timeout: 10_000,
    });
    tried.child.stdin!.on('error', () => {});
    tried.child.stdin!.end('whole=yes\n');
    await tried;
    return isolated;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    return plain(stderr?.trim().split('\n').at(-1) || 'namespaces cannot be made here');
  } finally {
    await removeTree(work);
  }
}
