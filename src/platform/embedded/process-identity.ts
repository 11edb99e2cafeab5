import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Identifies a process even if its pid is reused. */
export interface ProcessRecord {
  pid: number;
  identity: string;
}

/** Identity of a living process that we may not inspect, such as another user's on a hardened host. */
const HIDDEN = 'hidden';

/** Start time of the process as an opaque text; undefined if it has ended or is a zombie. */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (!signalReaches(pid)) return undefined;
  try {
    return process.platform === 'linux' ? await linuxIdentity(pid) : await psIdentity(pid);
  } catch {
    return signalReaches(pid) ? HIDDEN : undefined;
  }
}

/** Whether the recorded process is still alive. */
export async function isAlive(record: ProcessRecord): Promise<boolean> {
  const identity = await processIdentity(record.pid);
  return identity === HIDDEN || (identity !== undefined && identity === record.identity);
}

/** Command line joined by spaces; empty if unreadable. */
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
  // The second field is the command in parentheses and may contain spaces, so count fields after it.
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
