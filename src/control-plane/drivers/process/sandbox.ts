import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FIRST_UID, uidOf } from '../agent-user.ts';
import { packageRoot } from '../../../platform/package-root.ts';

const run = promisify(execFile);

/** The program every revision runs: the agent server of this very version. */
export const SERVER = fileURLToPath(new URL('dist/bin/slipway.js', packageRoot));

const NAMESPACES = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--ipc', '--uts', '--'];
const UNPRIVILEGED = [
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--pdeathsig=SIGKILL',
];

export interface Sandbox {
  /** What is put before the command of an agent of the deployment. */
  prefix(deploymentId: string): string[];
  /** The user it runs as; undefined when it runs as ours. */
  uid(deploymentId: string): number | undefined;
  /** What keeps agents apart from each other and from the platform. */
  detail: string;
  /** What is missing, and would do; undefined when nothing is. */
  missing?: string;
}

const asUser = (uid: number): string[] => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${uid}`,
  ...UNPRIVILEGED,
  '--',
];

/** The best this machine lets us do; each is tried with the real program before it is believed. */
export async function findSandbox(): Promise<Sandbox> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return {
      ...NONE,
      missing: 'agents run as the same user as the platform: start it as root on Linux to have them apart',
    };
  const candidates = [
    { before: NAMESPACES, detail: 'agents run as users of their own, in namespaces of their own' },
    { before: [], detail: 'agents run as users of their own' },
  ];
  let failure: unknown;
  for (const { before, detail } of candidates) {
    try {
      const [command, ...args] = [...before, ...asUser(FIRST_UID), process.execPath, SERVER, '--version'];
      await run(command, args, { cwd: '/', env: { PATH: '/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin' } });
      return { prefix: (id) => [...before, ...asUser(uidOf(id))], uid: uidOf, detail };
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

const NONE: Sandbox = { prefix: () => [], uid: () => undefined, detail: 'agents run as our own user' };
