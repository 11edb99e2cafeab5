import { type ChildProcess, spawn } from 'node:child_process';

export interface GuardOptions {
  /** First asks the process to stop by this signal, without SIG. */
  signal?: 'INT' | 'TERM';
  /** Seconds before SIGKILL. */
  graceSeconds: number;
}

/**
 * Only our process holds the other end of standard input. A line means that the process has ended; end of file without
 * a line means that we have died (even by SIGKILL) or want the process stopped.
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

const REPLACED_AFTER_MS = 100;
// Only checks that there is such a process.
const NO_SIGNAL = '0';

/** Ends a process when this one ends, even by SIGKILL, and whatever the process itself is doing. */
export class ProcessGuard {
  readonly #args: string[];
  #guard: ChildProcess;
  #isOver = false;

  constructor(pid: number, { signal, graceSeconds }: GuardOptions) {
    this.#args = ['-c', GUARD, 'slipway-guard', String(pid), signal ?? NO_SIGNAL, String(graceSeconds)];
    this.#guard = this.#start();
  }

  /** Ends the guard alone; call it when the process has ended. */
  release(): void {
    this.#isOver = true;
    this.#guard.stdin?.end('ended\n');
  }

  /** Ends the process. */
  stop(): void {
    this.#isOver = true;
    this.#guard.stdin?.end();
  }

  /** Kills the guard and its sleep. */
  kill(): void {
    const { pid, exitCode, signalCode } = this.#guard;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    killHard(-pid);
  }

  #start(): ChildProcess {
    const started = spawn('/bin/sh', this.#args, {
      cwd: '/',
      env: { PATH: process.env['PATH'] },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    started.stdin.on('error', () => {});
    // Replaces a killed guard, so that its process is never unguarded.
    const replace = () =>
      setTimeout(() => this.#isOver || (this.#guard = this.#start()), REPLACED_AFTER_MS).unref();
    started.once('exit', replace).once('error', replace);
    return started;
  }
}

/** A negative pid addresses a process group. */
export function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already ended.
  }
}
