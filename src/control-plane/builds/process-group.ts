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
  /** Standard input; empty by default. */
  input?: string;
  /** Ends the whole group; the call rejects with the signal's reason once all are gone. */
  signal: AbortSignal;
  /** Receives each line of standard output and error. */
  onLine(line: string): void;
}

export interface GroupEnd {
  code: number | null;
  by: NodeJS.Signals | null;
}

/** Marks every process of a group, even one that started its own session. */
export const GROUP_MARK = 'BUILD_PROCESS_GROUP';
const LONGEST_LINE = 16_384;
const MOST_LOOKS = 100;
const LOOK_MS = 20;
// A process hidden from us may keep the output open.
const CLOSE_MS = 2_000;

/** We alone hold its standard input: when that closes without a line, we died, and it ends the group. */
const GUARD = `trap '' HUP INT TERM
read -r ended && exit
kill -s KILL -- "-$1"`;

/**
 * Runs a command in its own process group. Ends the rest of the group when the command ends, `signal` aborts, or this
 * process dies. Rejects when the command can't start.
 */
export async function runGroup(options: GroupCommand): Promise<GroupEnd> {
  const { command, args, cwd, env, input, signal } = options;
  signal.throwIfAborted();
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const child = spawn(command, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  // It may end before it has read everything.
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

/** Ends the group and its stray processes. Repeats, because they may fork meanwhile. */
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

/** A negative pid addresses a group. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

async function processesWith(variable: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Empty for a zombie.
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').includes(variable) ? [pid] : [];
    }),
  );
  return found.flat();
}

function eachLine({ stdout, stderr }: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [stdout!, stderr!]) linesOf(stream, onLine);
}

/** Splits output into lines; caps endless ones. */
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
