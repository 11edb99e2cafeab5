import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../../platform/package-root.ts';
import { removeTree } from '../../builds/remove-tree.ts';
import { asUser, FIRST_UID, uidOf } from '../../users/agent-user.ts';
import { REPLACE_RUN, STAGE } from '../../users/own-run.ts';

const run = promisify(execFile);

/** The program that every revision runs: this version's agent server. */
export const SERVER = fileURLToPath(new URL('dist/bin/slipway.js', packageRoot));

/** An agent's folders: its project, and the one it can write to. */
export interface AgentFolders {
  project: string;
  work: string;
}

export interface Sandbox {
  /** Prefix of the command of the deployment's agents. */
  prefix(deploymentId: string, folders: AgentFolders): string[];
  /** Paths at which the agent sees its folders. */
  inside(folders: AgentFolders): AgentFolders;
  /** Whether the agent uses the folders' real paths, so that its user must be able to traverse them. */
  passes: boolean;
  /** The user id it runs as; undefined if it runs as the platform's user. */
  uid(deploymentId: string): number | undefined;
  /** How agents are isolated from each other and from the platform. */
  detail: string;
  /** The missing requirement, and how to meet it. */
  missing?: string;
}

const PATH = '/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin';
const INSIDE: AgentFolders = { project: '/run/slipway-agent/project', work: '/run/slipway-agent/work' };
const NAMESPACES = ['--pid', '--fork', '--kill-child', '--mount-proc', '--ipc', '--uts', '--'];

/** Replaced by the agent's own folder, unless Node or the server is installed there. */
const SHARED = ['/tmp', '/var/tmp'].filter(
  (folder) => ![SERVER, process.execPath].some((program) => program.startsWith(`${folder}/`)),
);

// $1 is the data folder, $2 the project, $3 the work folder, the rest the command. /tmp is replaced because others write
// to it.
const OWN_VIEW = `set -e
mkdir -p ${STAGE}
mount -t tmpfs -o mode=755,size=1m tmpfs ${STAGE}
mkdir -p ${STAGE}/slipway-agent/project ${STAGE}/slipway-agent/work
mount --bind "$2" ${STAGE}/slipway-agent/project
mount --bind "$3" ${STAGE}/slipway-agent/work
mount -t tmpfs -o mode=700,size=64k tmpfs "$1"
${REPLACE_RUN}
for folder in ${SHARED.join(' ')}; do mount --bind ${INSIDE.work} "$folder"; done
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
cd ${INSIDE.project}
shift 3
exec "$@"`;

interface Candidate extends Pick<Sandbox, 'inside' | 'passes' | 'detail'> {
  before(folders: AgentFolders): string[];
}

/** The strongest isolation that works on this machine, determined by running the real program in each. */
export async function findSandbox(dataDir: string): Promise<Sandbox> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return {
      ...NONE,
      missing: "agents run as the platform's user; start it as root on Linux to isolate them",
    };
  const root = resolve(dataDir);
  const candidates: Candidate[] = [
    {
      before: ({ project, work }) => [
        'unshare',
        '--mount',
        ...NAMESPACES,
        '/bin/sh',
        '-c',
        OWN_VIEW,
        'slipway-agent',
        root,
        project,
        work,
      ],
      inside: () => INSIDE,
      passes: false,
      detail: 'agents run as separate users, in separate namespaces',
    },
    {
      before: () => ['unshare', ...NAMESPACES],
      inside: (folders) => folders,
      passes: true,
      detail: 'agents run as separate users, and see only their own processes',
    },
    {
      before: () => [],
      inside: (folders) => folders,
      passes: true,
      detail: 'agents run as separate users',
    },
  ];
  let failure: unknown;
  for (const { before, ...candidate } of candidates) {
    const prefix = (uid: number, folders: AgentFolders) => [...before(folders), ...asUser(uid)];
    try {
      await tryOut(root, (folders) => prefix(FIRST_UID, folders));
      const closed = candidate.passes ? await closedAbove(root) : undefined;
      return {
        ...candidate,
        prefix: (id, folders) => prefix(uidOf(id), folders),
        uid: uidOf,
        ...(closed && {
          missing: `agents cannot enter ${closed}, which contains SLIPWAY_DATA_DIR: run chmod o+x on it`,
        }),
      };
    } catch (error) {
      failure = error;
    }
  }
  const { code } = failure as NodeJS.ErrnoException;
  return {
    ...NONE,
    missing:
      code === 'ENOENT'
        ? 'agents run as root: install setpriv and unshare (util-linux)'
        : `agents run as root: other users cannot run ${process.execPath} with ${SERVER}`,
  };
}

async function tryOut(root: string, prefix: (folders: AgentFolders) => string[]): Promise<void> {
  await mkdir(root, { recursive: true });
  const probe = await mkdtemp(join(root, 'sandbox-'));
  try {
    const [command = '', ...before] = prefix({ project: probe, work: probe });
    await run(command, [...before, process.execPath, SERVER, '--version'], { cwd: '/', env: { PATH } });
  } finally {
    await removeTree(probe);
  }
}

/** The topmost parent folder that other users can't traverse; undefined if there is none. */
export async function closedAbove(folder: string): Promise<string | undefined> {
  const parent = dirname(folder);
  if (parent === folder) return undefined;
  const mode = await stat(parent).then(
    (found) => found.mode,
    () => 0o777,
  );
  return (await closedAbove(parent)) ?? ((mode & 0o001) === 0 ? parent : undefined);
}

const NONE: Sandbox = {
  prefix: () => [],
  inside: (folders) => folders,
  passes: false,
  uid: () => undefined,
  detail: "agents run as the platform's user",
};
