import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface GuardedCommand {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** User to run as; only root may set it. */
  owner?: { uid: number; gid: number } | undefined;
  /** File descriptor for standard output and error. */
  log: number;
  /** Signal for a graceful stop, without SIG. */
  signal: 'INT' | 'TERM';
  /** Seconds between that signal and SIGKILL. */
  graceSeconds: number;
}

export interface GuardedProcess {
  pid: number;
  /** Resolves with "SIGKILL" or "code 1" when the process has ended. */
  ended: Promise<string>;
  /** Stops the process by signal, then SIGKILL after the grace period. Resolves when it has ended. */
  stop: () => Promise<void>;
}

/** Waits for a go-ahead, so that the command never runs unguarded, then executes it under the same pid. */
const LAUNCHER = 'read -r go && exec "$@" </dev/null';

/**
 * Only our process holds the other end of standard input. A line means that the child has ended; end of file without
 * a line means that we have died (even by SIGKILL) or want the child stopped.
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
 * Starts a process that ends with this one, even if this one is killed. It gets its own session, so that Ctrl-C
 * reaches only us. `beforeRun` sees the pid before the command runs. Rejects if the process cannot be spawned.
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
  // A process killed before the go-ahead causes a broken pipe, which `ended` covers.
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
    // Replaces a killed guard, so that its process is never unguarded.
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
    // Kills the guard's group including its sleep.
    if (guard.pid && guard.exitCode === null && guard.signalCode === null) killHard(-guard.pid);
  }
  return { pid, ended, stop: () => (stopped ??= stop()) };
}

/** A negative pid addresses a process group. */
function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already ended.
  }
}
