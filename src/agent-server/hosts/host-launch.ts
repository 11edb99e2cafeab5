import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../platform/package-root.ts';

const PROGRAM = fileURLToPath(new URL('dist/bin/graph-host.js', packageRoot));

/** How the processes of graph hosts are started. */
export interface HostLaunch {
  /** Put before the command: a sandbox. */
  prefix: string[];
  /** The project's environment and nothing of ours. */
  env: Record<string, string>;
  /** Folder the process starts in. */
  cwd: string;
}

export interface LaunchedHost {
  child: ChildProcess;
  /** Our end of the socket that the host inherits. */
  socket: Duplex;
  /** Settles when the process is gone, with how it ended. */
  ended: Promise<string>;
}

/** Starts the process of a JavaScript host. Rejects when it cannot be spawned. */
export function launchHost({ prefix, env, cwd }: HostLaunch): LaunchedHost {
  const [command, ...args] = [...prefix, process.execPath, ...process.execArgv, PROGRAM];
  const child = spawn(command, args, {
    cwd,
    env: { ...env, SLIPWAY_HOST_ADDRESS: 'fd:3' },
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`));
  });
  return { child, socket: child.stdio[3] as unknown as Duplex, ended };
}
