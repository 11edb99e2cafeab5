import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { exportScript } from '../../platform/export-script.ts';
import { packageRoot } from '../../platform/package-root.ts';
import type { Language } from '../../graph-protocol/language.ts';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const JAVASCRIPT_HOST = fileURLToPath(new URL('dist/bin/graph-host.js', packageRoot));
const PYTHON_PACKAGES = fileURLToPath(new URL('python/', packageRoot));

/** How the processes of graph hosts are started. */
export interface HostLaunch {
  /** A sandbox and the host's command. */
  command: string[];
  /** The project's environment and nothing of ours. */
  env: Record<string, string>;
  /** A sandbox that starts as root: it reads the environment from standard input (export-script.ts). */
  isConfined: boolean;
}

export interface HostCommandOptions {
  /** Put before the command: a sandbox. */
  prefix: string[];
  env: Record<string, string>;
  /** Interpreter of a Python project. */
  python: string;
  /** Options of Node for hosts in JavaScript. */
  nodeOptions: string[];
  /** What the interpreter is given before the host's module. */
  pythonOptions: string[];
}

export function hostLaunch(
  language: Language,
  { prefix, env, python, nodeOptions, pythonOptions }: HostCommandOptions,
): HostLaunch {
  const isConfined = prefix.length > 0;
  if (language === 'javascript')
    return { command: [...prefix, process.execPath, ...nodeOptions, JAVASCRIPT_HOST], env, isConfined };
  const PYTHONPATH = [PYTHON_PACKAGES, env['PYTHONPATH']].filter(Boolean).join(':');
  return {
    command: [...prefix, python, ...pythonOptions, '-m', 'slipway_graph_host'],
    env: { ...env, PYTHONPATH },
    isConfined,
  };
}

export interface LaunchedHost {
  child: ChildProcess;
  /** Our end of the socket that the host inherits. */
  socket: Duplex;
  /** Settles when the process is gone, with how it ended. */
  ended: Promise<string>;
}

/** Starts a host's process; one that cannot be spawned has ended. */
export function launchHost({ command: [command, ...args], env, isConfined }: HostLaunch): LaunchedHost {
  const variables = { ...env, SLIPWAY_HOST_ADDRESS: 'fd:3' };
  const child = spawn(command!, args, {
    // Variables of the project could have root load its libraries.
    env: isConfined ? { PATH: SYSTEM_PATH } : variables,
    stdio: [isConfined ? 'pipe' : 'ignore', 'inherit', 'inherit', 'pipe'],
    // A signal for the server's group, which then finishes its runs, must not end them.
    detached: true,
  });
  child.stdin?.on('error', () => {}).end(exportScript(variables));
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`));
  });
  return { child, socket: child.stdio[3] as unknown as Duplex, ended };
}
