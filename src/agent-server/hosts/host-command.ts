import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../platform/package-root.ts';
import type { Language } from '../../graph-protocol/language.ts';

const JAVASCRIPT_HOST = fileURLToPath(new URL('dist/bin/graph-host.js', packageRoot));
const PYTHON_PACKAGES = fileURLToPath(new URL('python/', packageRoot));

/** What the process of a graph host is started with. */
export interface HostCommand {
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
