import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../platform/package-root.ts';
import type { Language } from '../../graph-protocol/language.ts';

const JAVASCRIPT_HOST = fileURLToPath(new URL('dist/bin/graph-host.js', packageRoot));
const PYTHON_PACKAGES = fileURLToPath(new URL('python/', packageRoot));

/** How to start a graph host's process. */
export interface HostCommand {
  /** The sandbox prefix, then the host's command. */
  command: string[];
  /** The project's environment, without any of the server's. */
  env: Record<string, string>;
  /** Whether the sandbox starts as root; it then reads the environment from standard input (export-script.ts). */
  isConfined: boolean;
}

export interface HostCommandOptions {
  /** Sandbox command that precedes the host's command. */
  prefix: string[];
  env: Record<string, string>;
  /** Interpreter of a Python project. */
  python: string;
  /** Node options for JavaScript hosts. */
  nodeOptions: string[];
  /** Interpreter options for Python hosts. */
  pythonOptions: string[];
}

export function hostCommand(
  language: Language,
  { prefix, env, python, nodeOptions, pythonOptions }: HostCommandOptions,
): HostCommand {
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
