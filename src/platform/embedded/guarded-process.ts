import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface GuardedCommand {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Who the process runs as; only root may say so. */
  owner?: { uid: number; gid: number } | undefined;
  /** A file descriptor that takes standard output and error. */
  log: number;
  /** The signal that asks for a clean end, without SIG. */
  signal: 'INT' | 'TERM';
  /** Seconds between that signal and SIGKILL. */
  graceSeconds: number;
}

export interface GuardedProcess {
  pid: number;
  /** Resolves with "SIGKILL" or "code 1" when the process has ended, for whatever reason. */
  ended: Promise<string>;
  /** Ends the process by signal, grace, SIGKILL; resolves when it is gone. */
  stop: () => Promise<void>;
}

/** Waits for a go-ahead, so that nobody runs unguarded; then becomes the command, under the same pid. */
const LAUNCHER = 'read -r go && exec "$@" </dev/null';

/**
 * Standard input is a pipe whose other end only our process holds: a line on it means that the child has ended,
 * its end without a line that we are gone (SIGKILL included) or want the child stopped.
 */
const GUARD = `trap '' HUP INT TERM
read -r ended && exit
kill -s "$2" "$1" 2>/dev/null || exit
while [ "$3" -gt 0 ]; do
  sleep 1
  kill -0 "$1" 2>/dev/null || exit
  set -- "$1" "$2" "$(($3 - 1))"
done
kill -s KILL "$1"`;

/**
 * Starts a process that ends when this one ends, however it ends. It is in a session of its own: Ctrl-C in the
 * terminal reaches us alone, and we decide when it stops. beforeRun sees the pid before the command runs.
 * Rejects when the process cannot be spawned.
 */
export async function spawnGuarded(
  options: GuardedCommand,
  beforeRun: (pid: number) => Promise<void>,
): Promise<GuardedProcess> {
  const { command, args, cwd, env, owner, log, signal, graceSeconds } = options;
  const child = spawn('/bin/sh', ['-c', LAUNCHER, 'slipway-launcher', command, ...args], {
    ...owner,
    cwd,
    env,
    detached: true,
    stdio: ['pipe', log, log],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, by) => resolve(by ?? `code ${code}`));
  });
  await once(child, 'spawn');
  // A process killed before it read the go-ahead leaves a broken pipe, which `ended` reports well enough.
  child.stdin!.on('error', () => {});
  const pid = child.pid!;
  try {
    await beforeRun(pid);
  } catch (error) {
    child.stdin!.destroy();
    throw error;
  }

  let guard = startGuard();
  let over = false;
  function startGuard(): ChildProcess {
    const guardArgs = ['-c', GUARD, 'slipway-guard', String(pid), signal, String(graceSeconds)];
    const started = spawn('/bin/sh', guardArgs, {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    started.stdin.on('error', () => {});
    // Somebody killed the guard: its process must not stay without one.
    const replace = () => setTimeout(() => over || (guard = startGuard()), 100).unref();
    started.once('exit', replace).once('error', replace);
    return started;
  }
  void ended.then(() => {
    over = true;
    guard.stdin?.end('ended\n');
  });
  child.stdin!.end('go\n');

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    over = true;
    guard.stdin?.end();
    const lastResort = setTimeout(() => killHard(pid), (graceSeconds + 2) * 1000);
    await ended;
    clearTimeout(lastResort);
    // The guard may still sleep between two looks; its group goes with it, the sleep included.
    if (guard.pid && guard.exitCode === null && guard.signalCode === null) killHard(-guard.pid);
  }
  return { pid, ended, stop: () => (stopped ??= stop()) };
}

/** A negative pid names a process group. */
function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
