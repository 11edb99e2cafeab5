import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { killHard, ProcessGuard } from '../process-guard.ts';

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

  const guard = new ProcessGuard(pid, { signal, graceSeconds });
  void ended.then(() => guard.release());
  child.stdin!.end('go\n');

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    guard.stop();
    const lastResort = setTimeout(() => killHard(pid), (graceSeconds + 2) * 1000);
    await ended;
    clearTimeout(lastResort);
    guard.kill();
  }
  return { pid, ended, stop: () => (stopped ??= stop()) };
}
