import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

export interface GroupCommand {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** What it reads from standard input; by default nothing. */
  input?: string;
  /** Ends every process of the group at once; the call rejects with the signal's reason when all are gone. */
  signal: AbortSignal;
  /** Told of each line of standard output and error. */
  onLine(line: string): void;
}

export interface GroupEnd {
  code: number | null;
  by: NodeJS.Signals | null;
}

/** Of this variable every process of a group has the same value, also one that left for a session of its own. */
export const GROUP_MARK = 'BUILD_PROCESS_GROUP';
const LONGEST_LINE = 16_384;
const MOST_LOOKS = 100;
const LOOK_MS = 20;
// What hid from us may hold the output open.
const CLOSE_MS = 2_000;

/** Its standard input is held by us alone: when that ends without a line, we are gone, and the group goes too. */
const GUARD = `trap '' HUP INT TERM
read -r ended && exit
kill -s KILL -- "-$1"`;

/**
 * Runs a command in a process group of its own, and ends what is left of the group when the command has ended, when
 * `signal` aborts, and when this process dies, however it does. Rejects when the command cannot be started.
 */
export async function runGroup(options: GroupCommand): Promise<GroupEnd> {
  const { command, args, cwd, env, input, signal } = options;
  signal.throwIfAborted();
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const child = spawn(command, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  // It may end before it has read all.
  child.stdin?.on('error', () => {}).end(input);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = new Promise<GroupEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) => resolve({ code, by }));
  });
  if (child.pid === undefined) return ended;
  const { pid } = child;
  const guard = spawn('/bin/sh', ['-c', GUARD, 'slipway-build-guard', String(pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.once('error', () => {});
  guard.stdin.on('error', () => {});
  const finish = () => endGroup(pid, env[GROUP_MARK]);
  const onAbort = () => void finish();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    eachLine(child, options.onLine);
    const end = await ended;
    await finish();
    await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false })]);
    child.stdout!.destroy();
    child.stderr!.destroy();
    signal.throwIfAborted();
    return end;
  } finally {
    signal.removeEventListener('abort', onAbort);
    guard.stdin.end('ended\n');
  }
}

/** Ends the group and what left it; resolves when none of them lives. What forks may need a second look. */
async function endGroup(pid: number, mark: string | undefined): Promise<void> {
  kill(-pid);
  if (!mark || process.platform !== 'linux') return;
  for (let look = 0; look < MOST_LOOKS; look++) {
    const strays = await processesWith(`${GROUP_MARK}=${mark}`);
    if (strays.length === 0) return;
    strays.forEach(kill);
    await delay(LOOK_MS);
  }
}

/** A negative pid names a group. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function processesWith(variable: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Empty for one that has ended and was not collected yet.
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').includes(variable) ? [pid] : [];
    }),
  );
  return found.flat();
}

function eachLine({ stdout, stderr }: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [stdout!, stderr!]) linesOf(stream, onLine);
}

/** Lines as they come; what never ends its line is cut, so that it fills no memory. */
function linesOf(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  const say = (line: string) => {
    const text = stripVTControlCharacters(line).trimEnd();
    if (text) onLine(text.slice(0, LONGEST_LINE));
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/\r\n|\n|\r/);
    rest = lines.pop()!;
    lines.forEach(say);
    if (rest.length > LONGEST_LINE) {
      say(rest);
      rest = '';
    }
  });
  stream.once('end', () => say(rest));
  stream.once('error', () => {});
}
