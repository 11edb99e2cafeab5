import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One process, told apart from a later one that got the same pid. */
export interface ProcessRecord {
  pid: number;
  identity: string;
}

/** The identity of a living process we may not look at, such as another user's on a hardened host. */
const HIDDEN = 'hidden';

/** When the process began, in a form that only equals itself; undefined when it is gone or a zombie. */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (!signalReaches(pid)) return undefined;
  try {
    return process.platform === 'linux' ? await linuxIdentity(pid) : await psIdentity(pid);
  } catch {
    return signalReaches(pid) ? HIDDEN : undefined;
  }
}

/** True while the very process of the record lives. */
export async function isAlive(record: ProcessRecord): Promise<boolean> {
  const identity = await processIdentity(record.pid);
  return identity === HIDDEN || (identity !== undefined && identity === record.identity);
}

/** The command line of a process, arguments joined by spaces; empty when it cannot be read. */
export async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform !== 'linux')
      return (await run('/bin/ps', ['-o', 'command=', '-p', String(pid)])).stdout;
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function signalReaches(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function linuxIdentity(pid: number): Promise<string | undefined> {
  const [stat, bootId] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
  ]);
  // The second field is the command in brackets and may hold spaces, so fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  return state === 'Z' || state === 'X' ? undefined : `${bootId.trim()}/${startTicks}`;
}

async function psIdentity(pid: number): Promise<string | undefined> {
  const { stdout } = await run('/bin/ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
    env: { LC_ALL: 'C' },
  });
  const [state = '', ...started] = stdout.trim().split(/\s+/);
  return state.startsWith('Z') ? undefined : started.join(' ');
}
