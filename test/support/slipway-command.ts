import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/platform/package-root.ts';

const program = fileURLToPath(new URL('dist/bin/slipway.js', packageRoot));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The lines of `--json`. */
  events: Record<string, unknown>[];
}

export interface Running {
  child: ChildProcess;
  /** Its output so far. */
  output(): string;
  ended: Promise<Ended>;
}

/** Starts `slipway …` as a user does, with only PATH from this process's environment. */
export function startSlipway(args: string[], env: Record<string, string>, cwd = '/'): Running {
  return startCommand(process.execPath, [program, ...args], env, cwd);
}

export function startCommand(
  command: string,
  args: string[],
  env: Record<string, string>,
  cwd: string,
): Running {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    stdout,
    stderr,
    events: stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  }));
  return { child, output: () => stdout + stderr, ended };
}
