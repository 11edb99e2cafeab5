import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const isTypeScript = (path: string): boolean => /\.[cm]?tsx?$/.test(path);

const registered = new Map<string, Promise<void>>();

/**
 * Lets this process import TypeScript, compiled the way the nearest `tsconfig.json` above `dir` says. The hooks are
 * the process's, not the project's: a namespace would give the project a second copy of every package it shares.
 */
export function registerTypeScript(dir: string): Promise<void> {
  const tsconfig = findTsconfig(dir);
  const key = tsconfig ?? '';
  const registering = registered.get(key) ?? register(tsconfig);
  registered.set(key, registering);
  return registering;
}

async function register(tsconfig: string | undefined): Promise<void> {
  const esm = await import('tsx/esm/api');
  const cjs = await import('tsx/cjs/api');
  esm.register({ tsconfig: tsconfig ?? false });
  // The CommonJS half takes its tsconfig from the environment, and only while it registers.
  const { env } = process;
  const before = env['TSX_TSCONFIG_PATH'];
  if (tsconfig) env['TSX_TSCONFIG_PATH'] = tsconfig;
  cjs.register();
  if (before === undefined) delete env['TSX_TSCONFIG_PATH'];
  else env['TSX_TSCONFIG_PATH'] = before;
}

function findTsconfig(dir: string): string | undefined {
  const path = join(dir, 'tsconfig.json');
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  const parent = dirname(dir);
  return parent === dir ? undefined : findTsconfig(parent);
}
